import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { mustExist } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { force } from '#tools/definitions/definitions.schema.ts'
import { changeDefinition, mustFindDefinition, readDefinitions, removeDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'

import { readTemplate } from './templates.rules.ts'
import { bodyOf, placeOfTemplates } from './templates.ts'
import { languageCode, templateId, variantChannel } from './templates.schema.ts'

export const deleteMessageTemplate = defineOperation({
  ...destroys(z.object({ templateId, variantsLeft: z.int().describe('0: the template is gone') })),
  name: 'delete_message_template',
  title: 'Delete a message template',
  description:
    'Deletes a template, or with languageCode only its text in that language and channel. 409 while a workflow uses the template, which it names. Messages sent stay.',
  method: 'DELETE',
  path: '/api/v1/messaging/templates/{templateId}',
  roles: 'BuilderAdmin',
  input: z.object({ templateId, languageCode: languageCode.optional(), channel: variantChannel, force }),
  examples: [{ title: 'The whole template', input: { templateId: 10_210 }, output: { templateId: 10_210, variantsLeft: 0 } }],
  async handler(context, { templateId: id, languageCode: language, channel = null, force: isForced }) {
    return changeOtherDefinitions(context, async () => {
      const row = await mustFindDefinition(context, placeOfTemplates, id)
      const catalog = await cachedCatalog(context)
      const [definition] = language === undefined ? [] : await readDefinitions(context, [row], catalog)
      const { entity, variants } = bodyOf(definition?.body ?? { entity: null, variants: [] })
      const isMeant = (one: (typeof variants)[number]) =>
        one.languageCode.toLowerCase() === language?.toLowerCase() && one.channel === channel
      if (language !== undefined) mustExist(variants.find(isMeant), 'text of the template')
      const left = variants.filter((one) => !isMeant(one))
      if (left.length === 0) await removeDefinition(context, row, isForced)
      else {
        const body = { entity, variants: left }
        await changeDefinition(context, row, { body, references: readTemplate(catalog, body).references })
      }
      return { templateId: row.definitionId, variantsLeft: left.length }
    })
  },
})
