import type { Domain } from '#platform/operation.ts'

import { contextPhrases } from './context.phrases.ts'
import { createContext } from './create-context.ts'
import { deleteContext } from './delete-context.ts'
import { getContext } from './get-context.ts'
import { hydrateContext } from './hydrate-context.ts'
import { listContextTokens } from './list-context-tokens.ts'
import { listContexts } from './list-contexts.ts'
import { resolveTokens } from './resolve-tokens.ts'
import { updateContext } from './update-context.ts'
import { validateContext } from './validate-context.ts'

export const contextDomain: Domain = {
  name: 'context',
  title: 'Context',
  summary: 'A record with the records around it as one bundle, and texts that take their values from it.',
  operations: [
    hydrateContext,
    resolveTokens,
    listContexts,
    getContext,
    createContext,
    updateContext,
    deleteContext,
    validateContext,
    listContextTokens,
  ],
  phrases: contextPhrases,
}
