/** What an entity is made of, as the rooms of records use it. */
import { api, dataOf } from '../client.ts'

const describe = (entity: string) => dataOf(api.POST('/api/v1/entities/{entity}', { params: { path: { entity } } }))
type Described = Awaited<ReturnType<typeof describe>>
type Part = Described['properties'][number]

export type Value = string | number | boolean | readonly (string | number | boolean)[] | null

/** A property of the entity, with its names. */
export interface Property extends Part {
  readonly name: string
  readonly label: string
  readonly type: NonNullable<Part['dataType']>
}

export interface Child {
  readonly entity: string
  readonly label: string
}

export interface Kind {
  readonly entity: string
  readonly label: string
  readonly description: string
  readonly properties: readonly Property[]
  readonly children: readonly Child[]
  readonly access: Described['access']
}

const known = new Map<string, Promise<Kind>>()

async function ask(entity: string): Promise<Kind> {
  const { entity: facts, properties, access } = await describe(entity)
  return {
    entity: facts.internalName,
    label: facts.name,
    description: facts.description,
    access,
    properties: properties.flatMap((part) => {
      const { dataType: type, propertyInternalName: name, propertyName } = part
      return type === null || name === null ? [] : [{ ...part, type, name, label: propertyName ?? name }]
    }),
    children: properties.flatMap(({ childEntityInternalName: entity, childEntityName }) =>
      entity === null ? [] : [{ entity, label: childEntityName ?? entity }],
    ),
  }
}

/** Asked once for a page; what failed is asked again. */
export function kindOf(entity: string): Promise<Kind> {
  const found = known.get(entity) ?? ask(entity)
  known.set(entity, found)
  found.catch(() => known.delete(entity))
  return found
}

const askRelations = (entity: string) => dataOf(api.POST('/api/v1/entities/{entity}/relationships', { params: { path: { entity } } }))

/** The kinds that one is related to. */
export interface Relations {
  readonly parents: readonly Child[]
  readonly children: readonly Child[]
  readonly peers: readonly Child[]
}

const knownRelations = new Map<string, Promise<Relations>>()

async function readRelations(entity: string): Promise<Relations> {
  const { parents, children, peers } = await askRelations(entity)
  const named = (some: typeof parents) => some.map(({ internalName, name }) => ({ entity: internalName, label: name }))
  return { parents: named(parents), children: named(children), peers: named(peers) }
}

/** Asked once for a page, as kindOf. */
export function relationsOf(entity: string): Promise<Relations> {
  const found = knownRelations.get(entity) ?? readRelations(entity)
  knownRelations.set(entity, found)
  found.catch(() => knownRelations.delete(entity))
  return found
}

/** Somebody changed a definition: all of them are asked anew, since names of one stand in others. */
export function forgetKinds(): void {
  known.clear()
  knownRelations.clear()
}

export const isFile = (type: Property['type']) => type === 'Attachment' || type === 'Signature' || type === 'Binary'
export const isChoice = (type: Property['type']) => type === 'Choice' || type === 'Hierarchy'
/** Read at a glance, unless there are several. */
export const isShort = ({ type, isList }: Property) => !isList && type !== 'Text' && !isFile(type) && !isChoice(type)
export const isNumber = (type: Property['type']) => type === 'Number' || type === 'Currency'
