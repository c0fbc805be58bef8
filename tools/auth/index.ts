import type { Domain } from '#platform/operation.ts'

import { authPhrases } from './auth.phrases.ts'
import { createApiKey } from './create-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import { deleteSecret } from './secrets/delete-secret.ts'
import { listSecrets } from './secrets/list-secrets.ts'
import { saveSecret } from './secrets/save-secret.ts'
import { updateApiKey } from './update-api-key.ts'

export const authDomain: Domain = {
  name: 'auth',
  title: 'Keys and sign-in',
  summary: 'API keys: who or what may call, in which roles, until when and from where; and secrets that are sent to hosts outside.',
  operations: [listApiKeys, createApiKey, revokeApiKey, rotateApiKey, updateApiKey, saveSecret, listSecrets, deleteSecret],
  phrases: authPhrases,
}
