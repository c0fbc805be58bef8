/** A kind of record as somebody changes it: what it is made of, how it stands to others, and who uses it. */
import { api, dataOf } from '../client.ts'

const askDetail = (entity: string, languageCode: string) =>
  dataOf(api.POST('/api/v1/entities/{entity}', { params: { path: { entity } }, body: { languageCode } }))
const askRelations = (entity: string, languageCode: string) =>
  dataOf(api.POST('/api/v1/entities/{entity}/relationships', { params: { path: { entity } }, body: { languageCode } }))
export const askEntityUses = (entity: string) => dataOf(api.POST('/api/v1/entities/{entity}/usage', { params: { path: { entity } } }))
export const askPropertyUses = (property: string) =>
  dataOf(api.POST('/api/v1/properties/{property}/usage', { params: { path: { property } } }))
export const askProperty = (property: string, languageCode: string) =>
  dataOf(api.POST('/api/v1/properties/{property}', { params: { path: { property } }, body: { languageCode } }))
export const askOptions = (property: string, languageCode: string) =>
  dataOf(api.POST('/api/v1/properties/{property}/options/list', { params: { path: { property } }, body: { languageCode } }))
export const askLanguages = () => dataOf(api.POST('/api/v1/languages'))

export type Detail = Awaited<ReturnType<typeof askDetail>>
/** A property of the kind, or a kind that stands below it. */
export type Part = Detail['properties'][number]
export type Option = Awaited<ReturnType<typeof askOptions>>[number]
export type Relation = Awaited<ReturnType<typeof askRelations>>['peers'][number]

export { askDetail }

export async function askDefinition(entity: string, languageCode: string) {
  const [detail, relations, uses, kinds, properties] = await Promise.all([
    askDetail(entity, languageCode),
    askRelations(entity, languageCode),
    askEntityUses(entity),
    dataOf(api.POST('/api/v1/entities/list', { body: {} })),
    dataOf(api.POST('/api/v1/properties/list', { body: {} })),
  ])
  return { detail, relations, uses, kinds, properties }
}
export type Definition = Awaited<ReturnType<typeof askDefinition>>

/** What a part is called, and by what the API knows it. */
export function namesOf(part: Part): { readonly label: string; readonly internalName: string } {
  const internalName = part.propertyInternalName ?? part.childEntityInternalName ?? ''
  return { label: part.propertyName ?? part.childEntityName ?? internalName, internalName }
}
