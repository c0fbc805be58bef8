/** The catalog as the record store compiles against it: every definition of a tenant, read once for each version. */

import type { DataType } from '#tools/properties/properties.schema.ts'

import type { Numbering } from './entities.schema.ts'

export type { DataType } from '#tools/properties/properties.schema.ts'

export interface CatalogOption {
  readonly optionId: number
  readonly internalName: string
  readonly parentOptionId: number | null
  /** Display names, which a save takes too; none of retired ones. */
  readonly names?: readonly string[]
}

export interface CatalogProperty {
  readonly entityPropertyId: number
  readonly propertyId: number
  /** The column is `c<columnId>`. */
  readonly columnId: number
  readonly internalName: string
  readonly dataType: DataType
  readonly isRequired: boolean
  readonly isList: boolean
  readonly keyPart: 1 | 2 | 3 | null
  readonly isSensitive: boolean
  readonly minValueOrLength: number | null
  readonly maxValueOrLength: number | null
  readonly maxDecimalPlaces: number | null
  readonly regEx: string | null
  /** Extensions without a dot, lower case; empty: any. */
  readonly allowedFileTypes: readonly string[]
  /** In their order; empty but for Choice and Hierarchy. */
  readonly options: readonly CatalogOption[]
  /** Deleted options, which no new value takes: earlier versions of records still show their names. */
  readonly retiredOptions?: readonly CatalogOption[]
  /** The subset that this entity allows, where it has one. */
  readonly optionFilter: ReadonlySet<number> | null
  readonly isIdentityEmail: boolean
  readonly isIdentityPhone: boolean
  /** What runs when an attachment is saved, as set_attachment_analysis stored it. */
  readonly analysis: unknown
  /** How the server numbers new records in it; null: it does not. */
  readonly numbering?: Numbering | null
}

export interface CatalogRelation {
  readonly entityId: number
  readonly isRequired: boolean
  readonly isList: boolean
}

/** What one may do with a record. */
export const accessVerbs = ['read', 'create', 'edit', 'delete'] as const
export type AccessVerb = (typeof accessVerbs)[number]

/** A rule of set_entity_access, with today's names. */
export interface AccessRule {
  readonly who:
    | { readonly roleBit: number }
    | { readonly tenantUserId: number }
    /** Whose identity-bridged record of the entity fulfils the filter. */
    | { readonly entityId: number; readonly filter: unknown }
  readonly verbs: ReadonlySet<AccessVerb>
  /** As it was sent, tokens in it; undefined: every record. */
  readonly filter: unknown
  /** By propertyId. */
  readonly hidden: ReadonlySet<number>
  readonly readOnly: ReadonlySet<number>
  readonly seesSensitive: boolean
}

export interface EntityAccess {
  /** Changes with the rules, and with nothing else. */
  readonly mark: string
  readonly rules: readonly AccessRule[]
}

/** By kind of event whether somebody watches for it: whatever changed, or one of these properties by propertyId. */
export type Watched = ReadonlyMap<string, 'anything' | ReadonlySet<number>>

export interface CatalogEntity {
  readonly entityId: number
  readonly internalName: string
  readonly wipeNo: number
  readonly isTenantUserRole: boolean
  readonly identityEmailPropertyId: number | null
  readonly identityPhonePropertyId: number | null
  /** In position order. */
  readonly properties: readonly CatalogProperty[]
  readonly parents: readonly CatalogRelation[]
  readonly children: readonly CatalogRelation[]
  readonly peers: readonly number[]
  /** Undefined: everybody by role. */
  readonly access?: EntityAccess | undefined
  /** Undefined: nobody watches its records. */
  readonly watched?: Watched | undefined
}

export interface Catalog {
  readonly tenantId: number
  readonly version: number
  readonly entities: readonly CatalogEntity[]
  /** By id as text, and by internalName in lower case. */
  readonly byIdOrName: ReadonlyMap<string, CatalogEntity>
}

type NamedProperty = Pick<CatalogProperty, 'propertyId' | 'entityPropertyId' | 'internalName'>

const propertyIndexes = new WeakMap<readonly NamedProperty[], ReadonlyMap<string, NamedProperty>>()

/**
 * Properties by lower-case internalName, by entityPropertyId and by propertyId: the three ways that a caller, or a column of a
 * file, may name one. It stands here so that the process that reads files loads little.
 */
export function propertyIndex<Property extends NamedProperty>(properties: readonly Property[]): ReadonlyMap<string, Property> {
  // What is kept for a list of properties was made of that list.
  const known = propertyIndexes.get(properties) as ReadonlyMap<string, Property> | undefined
  if (known) return known
  const index = new Map(
    properties.flatMap((property) => [
      [property.internalName.toLowerCase(), property] as const,
      // As it is written, which is how almost every save names it.
      [property.internalName, property] as const,
      [String(property.entityPropertyId), property] as const,
      [String(property.propertyId), property] as const,
    ]),
  )
  propertyIndexes.set(properties, index)
  return index
}
