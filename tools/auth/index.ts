import type { Domain } from '#platform/operation.ts'

import { authPhrases } from './auth.phrases.ts'
import { createApiKey } from './create-api-key.ts'
import { listApiKeys } from './list-api-keys.ts'
import { revokeApiKey } from './revoke-api-key.ts'
import { rotateApiKey } from './rotate-api-key.ts'
import { updateApiKey } from './update-api-key.ts'

export const authDomain: Domain = {
  name: 'auth',
  title: 'Keys and sign-in',
  summary: 'API keys: who or what may call, in which roles, until when and from where.',
  operations: [listApiKeys, createApiKey, revokeApiKey, rotateApiKey, updateApiKey],
  phrases: authPhrases,
}
