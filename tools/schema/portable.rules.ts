/** Definitions as a document writes them: by name, and without what goes without saying. */
import type { PortableEntity } from '#tools/entities/entities.schema.ts'
import type { listAttached, listEntityDisplays, listEntityRows, listRelations } from '#tools/entities/service.ts'
import { dataTypeOf, type PortableProperty } from '#tools/properties/properties.schema.ts'
import type {
  listOptionDisplays,
  listAllOptionFilters,
  listOptionRows,
  listPropertyDisplays,
  listPropertyRows,
  References,
} from '#tools/properties/service.ts'

type Rows<F extends (...args: never[]) => Promise<readonly unknown[]>> = Awaited<ReturnType<F>>

export interface CatalogRows {
  readonly references: References
  readonly properties: Rows<typeof listPropertyRows>
  readonly displays: Rows<typeof listPropertyDisplays>
  readonly options: Rows<typeof listOptionRows>
  readonly optionDisplays: Rows<typeof listOptionDisplays>
  readonly filters: Rows<typeof listAllOptionFilters>
  readonly entities: Rows<typeof listEntityRows>
  readonly entityDisplays: Rows<typeof listEntityDisplays>
  readonly attached: Rows<typeof listAttached>
  readonly relations: Rows<typeof listRelations>
}

/** Definitions with the ids that they have where they come from. */
export interface PortableSource {
  readonly properties: readonly { readonly id: number; readonly definition: PortableProperty }[]
  readonly entities: readonly { readonly id: number; readonly definition: PortableEntity }[]
}

/** The fields that say something: no null, no false, no empty text or list. */
function said<T extends object>(fields: T): T {
  const isSaid = (value: unknown) =>
    value !== null && value !== undefined && value !== false && value !== '' && !(Array.isArray(value) && value.length === 0)
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => isSaid(value))) as T
}

function namesById<T>(rows: readonly T[], idOf: (row: T) => number, nameOf: (row: T) => string): (id: number | null) => string | null {
  const names = new Map(rows.map((row) => [idOf(row), nameOf(row)]))
  return (id) => (id === null ? null : (names.get(id) ?? null))
}

export function toPortable(rows: CatalogRows): PortableSource {
  const { references } = rows
  const place = {
    category: namesById(
      references.categories,
      (row) => row.categoryId,
      (row) => row.internalName,
    ),
    vertical: namesById(
      references.verticals,
      (row) => row.verticalId,
      (row) => row.internalName,
    ),
  }
  return { properties: portableProperties(rows, place), entities: portableEntities(rows, place) }
}

interface Place {
  readonly category: (id: number | null) => string | null
  readonly vertical: (id: number | null) => string | null
}

function portableProperties(rows: CatalogRows, place: Place): PortableSource['properties'] {
  const displays = Map.groupBy(rows.displays, (row) => row.propertyId)
  const options = Map.groupBy(rows.options, (row) => row.propertyId)
  const optionDisplays = Map.groupBy(rows.optionDisplays, (row) => row.optionId)
  const filters = Map.groupBy(rows.filters, (row) => row.propertyId)
  const optionName = namesById(
    rows.options,
    (row) => row.optionId,
    (row) => row.internalName,
  )
  return rows.properties.map((row) => ({
    id: row.propertyId,
    definition: said({
      internalName: row.internalName,
      dataType: dataTypeOf(row.dataTypeId),
      displays: (displays.get(row.propertyId) ?? []).map(({ languageCode, name, description, regEx, isTranslationLocked }) => ({
        languageCode,
        name,
        ...said({ description, regEx, isTranslationLocked }),
      })),
      // A bound of 0 is said too: only null is nothing.
      regEx: row.regEx,
      minValueOrLength: row.minValueOrLength,
      maxValueOrLength: row.maxValueOrLength,
      maxDecimalPlaces: row.maxDecimalPlaces,
      allowedFileTypes: [...row.allowedFileTypes],
      isSensitive: row.isSensitive,
      isIdentityEmail: row.isIdentityEmail,
      isIdentityPhone: row.isIdentityPhone,
      isTenantUserRole: row.isTenantUserRole,
      category: place.category(row.categoryId),
      vertical: place.vertical(row.verticalId),
      propertyOptions: (options.get(row.propertyId) ?? []).map((option) => ({
        internalName: option.internalName,
        ...said({
          parent: optionName(option.parentOptionId),
          displays: (optionDisplays.get(option.optionId) ?? []).map(({ languageCode, name, description }) => ({
            languageCode,
            name,
            ...said({ description }),
          })),
        }),
      })),
      optionFilters: (filters.get(row.propertyId) ?? []).map((filter) => ({
        internalName: filter.internalName,
        options: filter.optionIds.flatMap((id) => optionName(id) ?? []),
      })),
    }),
  }))
}

function portableEntities(rows: CatalogRows, place: Place): PortableSource['entities'] {
  const displays = Map.groupBy(rows.entityDisplays, (row) => row.entityId)
  const attached = Map.groupBy(rows.attached, (row) => row.entityId)
  const relations = Map.groupBy(rows.relations, (row) => row.entityId)
  const filterName = namesById(
    rows.filters,
    (row) => row.propertyOptionFilterId,
    (row) => row.internalName,
  )
  const propertyName = namesById(
    rows.properties,
    (row) => row.propertyId,
    (row) => row.internalName,
  )
  const entityName = namesById(
    rows.entities,
    (row) => row.entityId,
    (row) => row.internalName,
  )
  return rows.entities.map((row) => {
    const related = (kind: 'child' | 'peer') =>
      (relations.get(row.entityId) ?? []).flatMap((relation) => {
        const name = entityName(relation.otherEntityId)
        // isList is true unless told, so here it is false that says something.
        return relation.kind === kind && name !== null
          ? [{ name, cardinality: { ...said({ isRequired: relation.isRequired }), ...(relation.isList ? {} : { isList: false }) } }]
          : []
      })
    return {
      id: row.entityId,
      definition: said({
        internalName: row.internalName,
        displays: (displays.get(row.entityId) ?? []).map(({ languageCode, name, description, isTranslationLocked }) => ({
          languageCode,
          name,
          ...said({ description, isTranslationLocked }),
        })),
        category: place.category(row.categoryId),
        vertical: place.vertical(row.verticalId),
        properties: (attached.get(row.entityId) ?? []).map(
          ({ internalName, isRequired, isList, keyPart, numbering, propertyOptionFilterId }) => ({
            property: internalName,
            ...said({ isRequired, isList, keyPart, numbering, optionFilter: filterName(propertyOptionFilterId) }),
          }),
        ),
        children: related('child').map(({ name, cardinality }) => ({ childEntity: name, ...cardinality })),
        peers: related('peer').map(({ name, cardinality }) => ({ peerEntity: name, ...cardinality })),
        isTenantUserRole: row.isTenantUserRole,
        identityEmailProperty: propertyName(row.identityEmailPropertyId),
        identityPhoneProperty: propertyName(row.identityPhonePropertyId),
      }),
    }
  })
}

/** The part of a source that these names select, with the properties that the entities need; relationships to what is left out are left out too. */
export function select(
  source: PortableSource,
  isPropertyWanted: (id: number, name: string) => boolean,
  isEntityWanted: (id: number, name: string) => boolean,
  hasEntity: (name: string) => boolean,
) {
  const entities = source.entities.filter(({ id, definition }) => isEntityWanted(id, definition.internalName))
  const chosen = new Set(entities.map(({ definition }) => definition.internalName.toLowerCase()))
  const needed = new Set(
    entities.flatMap(({ definition }) => (definition.properties ?? []).map((one) => String(one.property).toLowerCase())),
  )
  const leftOut: { readonly entity: string; readonly other: string }[] = []
  const isThere = (entity: string, other: string) => {
    if (chosen.has(other.toLowerCase()) || hasEntity(other)) return true
    leftOut.push({ entity, other })
    return false
  }
  return {
    properties: source.properties.filter(
      ({ id, definition }) => needed.has(definition.internalName.toLowerCase()) || isPropertyWanted(id, definition.internalName),
    ),
    entities: entities.map(({ id, definition }) => ({
      id,
      definition: withRelations(
        definition,
        (definition.children ?? []).filter((child) => isThere(definition.internalName, String(child.childEntity))),
        (definition.peers ?? []).filter((peer) => isThere(definition.internalName, String(peer.peerEntity))),
      ),
    })),
    leftOut,
  }
}

function withRelations(
  definition: PortableEntity,
  children: NonNullable<PortableEntity['children']>,
  peers: NonNullable<PortableEntity['peers']>,
): PortableEntity {
  const { children: _children, peers: _peers, ...rest } = definition
  return { ...rest, ...(children.length > 0 ? { children } : {}), ...(peers.length > 0 ? { peers } : {}) }
}
