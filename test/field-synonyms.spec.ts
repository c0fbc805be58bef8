/** Names that one operation has and another has not: the finding names the one that is right here. */
import { expect, it } from 'vitest'

import { misnamed, synonymTargets } from '#platform/field-synonyms.ts'
import { parseInput } from '#platform/issues.ts'
import { buildRegistry } from '#platform/registry.ts'
import { domains } from '#tools/index.ts'

const { byName } = buildRegistry(domains)

function findingsOf(operation: string, input: object) {
  const found = byName.get(operation)
  if (!found) throw new Error(`There is no ${operation}`)
  const parsed = parseInput(found.input, input)
  return parsed.isOk ? [] : parsed.issues.map(({ path, message, suggestion }) => [path, message.split(' Allowed:')[0], suggestion])
}

it.each([
  ['get_instance_as_of', { entity: 'Site', record: 'S1', asOfDate: '2026-11-22T03:00:00Z' }, 'asOfDate', 'utc'],
  ['list_instances_as_of', { entity: 'Site', utc: '2026-11-22T03:00:00Z' }, 'utc', 'asOfDate'],
  ['list_instances_as_of', { entity: 'Site', dateFrom: '2026-11-22T03:00:00Z' }, 'dateFrom', 'asOfDate'],
  ['list_instances_changed_since', { entity: 'Site', modifiedSinceUtc: '2026-11-22T03:00:00Z' }, 'modifiedSinceUtc', 'watermark'],
  ['set_attachment_analysis', { entity: 'Site', property: 'Photos', ocr: true }, 'property', 'entityPropertyId'],
  ['attach_property', { entity: 'Site', propertyInternalName: 'Score' }, 'propertyInternalName', 'property'],
  ['attach_property', { entity: 'Site', internalName: 'Score' }, 'internalName', 'property'],
  ['describe_entity', { internalName: 'Site' }, 'internalName', 'entity'],
  ['get_instance', { entity: 'Site', eiRecordId: 7 }, 'eiRecordId', 'record'],
  ['save_instances_bulk', { entity: 'Site', items: [] }, 'items', 'rows'],
  ['list_instances', { entity: 'Site', limit: 5 }, 'limit', 'pageSize'],
  ['docs_search', { query: 'keys', pageSize: 5 }, 'pageSize', 'limit'],
  ['await_reply', { conversationId: 7, cursor: 3 }, 'cursor', 'afterSeq'],
  ['await_job', { id: 7 }, 'id', 'jobId'],
])('%s given %j tells in one finding that %s is called %s', (operation, input, sent, meant) => {
  expect(findingsOf(operation, input)).toEqual([[`$.${sent}`, `"${sent}" is called ${meant} here.`, meant]])
})

it('tells of a field sent under another name inside a list once as well', () => {
  expect(findingsOf('create_entity', { internalName: 'Site', properties: [{ internalName: 'Score' }] })).toEqual([
    ['$.properties[0].internalName', '"internalName" is called property here.', 'property'],
  ])
})

it('still tells of a required field that nothing was sent for', () => {
  expect(findingsOf('attach_property', { entityName: 'Site' })).toEqual([
    ['$.entityName', '"entityName" is called entity here.', 'entity'],
    ['$.property', 'Required, a value of type number or string.', undefined],
  ])
})

it('says what belongs into an object in whose place a name was sent', () => {
  const [finding] = findingsOf('create_entity', { internalName: 'Site', properties: ['Score'] })
  expect(finding).toEqual([
    '$.properties[0]',
    'Expected object, got "Score". Its fields: property, isRequired, isList, keyPart, numbering.',
    undefined,
  ])
})

it.each([
  ['choices', { text: 'Is it open?', choices: [{ key: 'yes', label: 'Yes' }] }, 'card'],
  ['tenantUserId', { text: 'Is it open?', tenantUserId: 7 }, 'to'],
])('says of %s, sent one level too high, where it belongs', (sent, input, owner) => {
  expect(findingsOf('send_message', input)).toEqual([[`$.${sent}`, `"${sent}" belongs into ${owner}.`, `${owner}.${sent}`]])
})

it('offers nothing that merely looks like a thing which is not here', () => {
  expect(misnamed('"eiRecordId"', 'eiRecordId', ['parentEIRecordId', 'data'])).toEqual({ said: 'There is no field "eiRecordId".' })
})

it('leaves a name that is no other name of anything to the nearest', () => {
  expect(misnamed('"emial"', 'emial', ['email', 'phone'])).toEqual({ said: 'There is no field "emial".', suggestion: 'email' })
  expect(misnamed('"constructor"', 'constructor', ['email'])).toEqual({ said: 'There is no field "constructor".' })
})

/** The names of fields, at any depth. */
function namesIn(schema: unknown): string[] {
  if (typeof schema !== 'object' || schema === null) return []
  const own = 'properties' in schema && typeof schema.properties === 'object' ? Object.keys(schema.properties ?? {}) : []
  return [...own, ...Object.values(schema).flatMap(namesIn)]
}

it('leads to no name that nothing has', () => {
  const fields = new Set([...byName.values()].flatMap(({ inputSchema }) => namesIn(inputSchema)))
  // What filter rules and the catalog's own tools take stands in no operation's schema.
  for (const name of ['op', 'name', 'arguments']) fields.add(name)
  expect(synonymTargets.length).toBeGreaterThan(20)
  expect(synonymTargets.filter((name) => !fields.has(name))).toEqual([])
})
