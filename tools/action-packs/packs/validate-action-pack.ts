import { defineOperation, reads } from '#platform/operation.ts'
import { draftOf, envelope, readDraft, validation } from '#platform/validation.ts'

import { exampleManifest } from '../action-packs.schema.ts'
import { manifest } from '../manifest.schema.ts'
import { findManifestProblems } from './checking.ts'

export const validateActionPack = defineOperation({
  ...reads(validation),
  errors: [],
  name: 'validate_action_pack',
  title: 'Check an action pack',
  description: 'Everything that is wrong with a manifest, without keeping it. What stands where a setting will is checked at install.',
  method: 'POST',
  path: '/api/v1/action-packs/validate',
  roles: 'BuilderAdmin',
  input: draftOf(manifest, 'create_action_pack'),
  examples: [{ title: 'A sound one', input: exampleManifest, output: { ok: true, valid: true, issues: [] } }],
  async handler(context, input) {
    const read = readDraft(manifest, input)
    return envelope(read.isOk ? await findManifestProblems(context, read.value) : read.findings)
  },
})
