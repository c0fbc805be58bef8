import { z } from 'zod'

import { filterRules } from '#tools/query/query.schema.ts'

import { anyValue, numberValue, object, textValue } from '../shapes.rules.ts'
import { defineStepType } from '../step-type.types.ts'

export const callHttp = defineStepType({
  stepTypeId: 14,
  internalName: 'callHttp',
  description:
    'Calls an address outside with an Idempotency-Key; secrets go into headers, by name, and only to their hosts. successWhen asks $response, 2xx unless told.',
  kind: 'act',
  isQuick: false,
  config: z.strictObject({
    method: z.enum(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']),
    url: z.string().min(1).max(4_000),
    headers: z.record(z.string().min(1).max(100), z.string().max(8_000)).optional(),
    body: z.unknown().optional(),
    bodyAsset: z.string().min(1).max(400).optional(),
    secretHeaders: z.record(z.string().min(1).max(100), z.string().min(1).max(64)).optional(),
    saveBodyAs: z.literal('asset').optional(),
    successWhen: filterRules.optional(),
  }),
  result: object({ status: numberValue, headers: anyValue, body: anyValue, assetKey: textValue }),
  roles: ({ bodyAsset, saveBodyAs }) => [
    ...(bodyAsset === undefined ? [] : ['DataView' as const]),
    ...(saveBodyAs === undefined ? [] : ['FileEdit' as const]),
  ],
  names: { secretHeaders: 'secrets', successWhen: 'response' },
  check: ({ method, url, body, bodyAsset }) => {
    const sends = body === undefined ? (bodyAsset === undefined ? undefined : 'bodyAsset') : 'body'
    const isFixed = typeof url === 'string' && !url.startsWith('[[')
    return [
      ...(isFixed && !/^https?:\/\/./i.test(url) ? [{ field: 'url', message: 'An address begins with https:// or http://.' }] : []),
      ...(body !== undefined && bodyAsset !== undefined ? [{ field: 'bodyAsset', message: 'One of body and bodyAsset.' }] : []),
      ...(sends !== undefined && (method === 'GET' || method === 'HEAD') ? [{ field: sends, message: `${method} sends no body.` }] : []),
    ]
  },
  example: {
    method: 'POST',
    url: 'https://erp.example.com/orders',
    body: { order: '[[Inspection.externalKey]]' },
    secretHeaders: { Authorization: 'erp' },
  },
})
