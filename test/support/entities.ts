/** What the specs of entities arrange them with. */
import type { World } from './world.ts'

/** Names that no other has, properties, entities of them, and how these are composed. */
export function entityArrangements(world: World) {
  let count = 0
  const unique = (prefix: string) => `${prefix}${++count}`

  async function textProperty(more: Record<string, unknown> = {}): Promise<string> {
    const internalName = unique('Text')
    await world.call('create_property', { internalName, dataType: 'Text', ...more })
    return internalName
  }

  /** An entity with these properties attached. */
  async function entityWith(...properties: (string | Record<string, unknown>)[]): Promise<string> {
    const internalName = unique('Thing')
    await world.call('create_entity', {
      internalName,
      properties: properties.map((property) => (typeof property === 'string' ? { property } : property)),
    })
    return internalName
  }

  const save = (entity: string, key1: string, data: Record<string, unknown> = {}, more: Record<string, unknown> = {}) =>
    world.call('save_instance', { entity, key1, data, ...more })

  async function elements(entity: string) {
    return (await world.call('describe_entity', { entity })).properties as {
      entityPropertyId: number
      propertyInternalName: string | null
      childEntityInternalName: string | null
      position: number
      isRequired: boolean
      isList: boolean
      keyPart: number | null
    }[]
  }

  const namesOf = async (entity: string) => (await elements(entity)).map((one) => one.propertyInternalName ?? one.childEntityInternalName)

  async function idOf(entity: string, name: string): Promise<number> {
    const found = (await elements(entity)).find((one) => one.propertyInternalName === name || one.childEntityInternalName === name)
    if (!found) throw new Error(`${entity} has no ${name}`)
    return found.entityPropertyId
  }

  return { unique, textProperty, entityWith, save, elements, namesOf, idOf }
}
