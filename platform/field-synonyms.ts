import { nearest } from './suggest.ts'

/**
 * What a caller sends for a field, because another operation or another product calls it so, and what ours call it: the first of these that is allowed
 * where it was sent. Only names of one and the same thing, since a caller sends the same value again under the new name.
 */
const calledHere: Readonly<Record<string, readonly string[]>> = {
  internalName: ['property', 'entity', 'entityPropertyId'],
  property: ['entityPropertyId', 'properties', 'internalName'],
  propertyInternalName: ['property', 'entityPropertyId', 'internalName'],
  propertyName: ['property', 'entityPropertyId', 'internalName'],
  propertyId: ['property'],
  entityPropertyId: ['property'],
  entityInternalName: ['entity', 'internalName'],
  entityName: ['entity', 'internalName'],
  entityId: ['entity'],
  childEntityInternalName: ['childEntity'],
  field: ['property'],
  operator: ['op'],
  order: ['direction'],
  orderBy: ['sort'],
  utc: ['asOfDate'],
  asOfDate: ['utc'],
  asOf: ['utc', 'asOfDate'],
  date: ['utc', 'asOfDate'],
  dateFrom: ['utc', 'asOfDate'],
  from: ['dateFrom'],
  to: ['dateTo'],
  since: ['modifiedSinceUtc', 'watermark'],
  modifiedSinceUtc: ['watermark'],
  changedSince: ['watermark'],
  cursor: ['watermark', 'afterSeq', 'afterInboxSeq'],
  limit: ['pageSize'],
  pageSize: ['limit'],
  filter: ['filterRules'],
  where: ['filterRules'],
  search: ['query'],
  query: ['search'],
  q: ['query', 'search'],
  id: ['record', 'jobId', 'apiKeyId', 'channelId', 'tenantUserId'],
  eiRecordId: ['record'],
  recordId: ['record', 'eiRecordId'],
  instanceId: ['record', 'eiRecordId'],
  record: ['eiRecordId'],
  parentId: ['parentEIRecordId'],
  parentRecordId: ['parentEIRecordId'],
  parentTenantMenuItemId: ['parent'],
  targetId: ['target'],
  values: ['data'],
  fields: ['data', 'properties'],
  instances: ['rows'],
  records: ['rows'],
  items: ['rows'],
  assetId: ['assetKey'],
  fileId: ['assetKey'],
  content: ['contentBase64', 'text'],
  base64: ['contentBase64'],
  contentType: ['mimeType'],
  userId: ['tenantUserId'],
  recipient: ['to'],
  message: ['text'],
  body: ['text'],
  languageCode: ['language'],
  timeZoneIana: ['timezone'],
  choiceKey: ['choice'],
  toolName: ['name'],
  tool: ['name'],
  args: ['arguments'],
  parameters: ['arguments'],
  input: ['arguments'],
}

const byName = new Map(Object.entries(calledHere).map(([sent, names]) => [sent.toLowerCase(), names]))

/** Every name that the table leads to, so that a check can hold it against the fields that there are. */
export const synonymTargets: readonly string[] = [...new Set(Object.values(calledHere).flat())]

/** What is said of a field that is not there, and the name that was meant: another name of the same thing, else the nearest. */
export function misnamed(words: string, key: string, allowed: readonly string[]): { readonly said: string; readonly suggestion?: string } {
  const names = byName.get(key.toLowerCase())
  const meant = names?.find((name) => allowed.includes(name))
  if (meant !== undefined) return { said: `${words} is called ${meant} here.`, suggestion: meant }
  // The thing is known and is not here: what merely looks like it would be another thing, as parentEIRecordId is for eiRecordId.
  if (names) return { said: `There is no field ${words}.` }
  const suggestion = nearest(key, allowed)
  return { said: `There is no field ${words}.`, ...(suggestion === undefined ? {} : { suggestion }) }
}
