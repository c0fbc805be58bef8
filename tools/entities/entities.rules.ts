/** What an entity may be: pure decisions about its composition, keys, identity and relationships. */
import { type IdOrName, readIdOrName } from '#platform/names.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { finding, type Finding, unknownName } from '#platform/validation.ts'
import { dataTypeOf } from '#tools/properties/properties.schema.ts'
import { type NewDisplay, readDisplays, readPlace, type References } from '#tools/properties/service.ts'

import type { Numbering, PortableEntity } from './entities.schema.ts'

/** A property as an entity may name it; `propertyId` is null while a catalog document is about to make it. */
export interface NamedProperty {
  readonly propertyId: number | null
  readonly internalName: string
  readonly dataTypeId: number
  readonly isIdentityEmail: boolean
  readonly isIdentityPhone: boolean
  /** Names of its option subsets, where the caller needs them. */
  readonly optionFilters: readonly string[]
}

export interface NewEntityProperty {
  readonly property: NamedProperty
  readonly isRequired: boolean
  readonly isList: boolean
  readonly keyPart: 1 | 2 | 3 | null
  readonly optionFilter: string | null
  readonly numbering: Numbering | null
}

export interface NewEntity {
  readonly internalName: string
  readonly displays: readonly NewDisplay[]
  readonly categoryId: number | null
  readonly verticalId: number | null
  readonly globalSourceId: number | null
  readonly properties: readonly NewEntityProperty[]
  readonly isTenantUserRole: boolean
  readonly identityEmail: NamedProperty | null
  readonly identityPhone: NamedProperty | null
}

/** Whatever has an id and a name, found by either. */
export function indexOf<T extends { readonly internalName: string }>(
  known: readonly T[],
  idOf: (one: T) => number | null,
): (slot: IdOrName) => T | undefined {
  const byName = new Map(known.map((one) => [one.internalName.toLowerCase(), one]))
  const byId = new Map(known.flatMap((one) => (idOf(one) === null ? [] : [[idOf(one), one] as const])))
  return (slot) => {
    const { id, name } = readIdOrName(slot)
    return id === null ? byName.get(name.toLowerCase()) : byId.get(id)
  }
}

export function unknownProperty(path: string, slot: IdOrName, known: readonly { readonly internalName: string }[]): Finding {
  const names = known.map((property) => property.internalName)
  return unknownName(path, 'property', slot, names, 'list_properties', 'unknown_property')
}

export function unknownEntity(path: string, slot: IdOrName, known: readonly { readonly internalName: string }[]): Finding {
  const names = known.map((entity) => entity.internalName)
  return unknownName(path, 'entity', slot, names, 'list_entities', 'unknown_entity')
}

/** What forbids a property to be a part of the key. */
export function findKeyPartProblems(
  property: { readonly internalName: string; readonly dataTypeId: number },
  isList: boolean,
  path: string,
): Finding[] {
  const dataType = dataTypeOf(property.dataTypeId)
  if (isList) return [finding(path, `${property.internalName} is a list; a key part has one value.`)]
  if (dataType === 'Attachment' || dataType === 'Signature' || dataType === 'Binary')
    return [finding(path, `${dataType === 'Attachment' ? 'An' : 'A'} ${dataType} cannot be a part of the key.`)]
  return []
}

/** What forbids that the server numbers records in a property. */
export function findNumberingProblems(
  property: { readonly internalName: string; readonly dataTypeId: number },
  isList: boolean,
  numbering: { readonly prefix?: string | undefined },
  path: string,
): Finding[] {
  const dataType = dataTypeOf(property.dataTypeId)
  if (dataType !== 'Text') return [finding(path, `Numbers are given in a Text; ${property.internalName} is a ${dataType}.`)]
  if (isList) return [finding(path, `${property.internalName} is a list; a record has one number.`)]
  const prefix = numbering.prefix ?? ''
  // A number may be a part of the key, whose parts are joined so.
  if (/ \/ |\p{Cc}/u.test(prefix) || !prefix.isWellFormed())
    return [finding(`${path}.prefix`, 'A prefix holds neither " / ", which joins the parts of keys, nor control characters.')]
  return []
}

/** Numbering as it is kept. */
export function readNumbering(
  given: { readonly prefix?: string | undefined; readonly digits?: number | undefined } | null | undefined,
): Numbering | null {
  return given ? { prefix: (given.prefix ?? '').normalize('NFC'), digits: given.digits ?? 1 } : null
}

/** Reads the definition of a new entity, held against the properties that exist or will. Relationships are read by readRelations. */
export function readEntity(
  given: PortableEntity,
  references: References,
  known: readonly NamedProperty[],
  path: string,
): { entity: NewEntity; findings: Finding[] } {
  const { displays, findings } = readDisplays(given.displays ?? [], references, `${path}.displays`)
  const place = readPlace(given, references, path)
  findings.push(...place.findings)
  const find = indexOf(known, (property) => property.propertyId)
  const properties: NewEntityProperty[] = []
  const keys = new Set<number>()
  const unknown = new Set<string>()
  ;(given.properties ?? []).forEach((one, index) => {
    const at = `${path}.properties[${index}]`
    const property = find(one.property)
    if (!property) {
      unknown.add(String(one.property).toLowerCase())
      return void findings.push(unknownProperty(`${at}.property`, one.property, known))
    }
    if (properties.some((earlier) => earlier.property === property))
      return void findings.push(finding(`${at}.property`, `${property.internalName} is named twice.`))
    const { isRequired = false, isList = false, keyPart = null, optionFilter = null } = one
    if (one.numbering) findings.push(...findNumberingProblems(property, isList, one.numbering, `${at}.numbering`))
    if (keyPart !== null) {
      findings.push(...findKeyPartProblems(property, isList, `${at}.keyPart`))
      if (keys.has(keyPart)) findings.push(finding(`${at}.keyPart`, `An earlier property is key part ${keyPart} too.`))
      keys.add(keyPart)
    }
    const subset = optionFilter === null ? null : property.optionFilters.find((name) => name.toLowerCase() === optionFilter.toLowerCase())
    if (subset === undefined)
      findings.push(
        unknownName(`${at}.optionFilter`, 'option filter', optionFilter, property.optionFilters, 'list_property_option_filters'),
      )
    properties.push({ property, isRequired, isList, keyPart, optionFilter: subset ?? null, numbering: readNumbering(one.numbering) })
  })
  const bridge = readBridge(
    {
      isTenantUserRole: given.isTenantUserRole ?? false,
      identityEmailProperty: given.identityEmailProperty,
      identityPhoneProperty: given.identityPhoneProperty,
    },
    properties,
    path,
  )
  // That the bridge lacks a property follows from one that was told of above.
  const isTold = (slot: IdOrName | null | undefined) => unknown.has(String(slot).toLowerCase())
  const { identityEmailProperty: email, identityPhoneProperty: phone } = given
  if (unknown.size === 0 || (!isTold(email) && !isTold(phone) && (email ?? phone) !== undefined)) findings.push(...bridge.findings)
  const { categoryId, verticalId } = place
  const { isTenantUserRole = false, internalName } = given
  return {
    entity: {
      internalName,
      displays,
      categoryId,
      verticalId,
      globalSourceId: null,
      properties,
      isTenantUserRole,
      identityEmail: bridge.email,
      identityPhone: bridge.phone,
    },
    findings,
  }
}

interface GivenBridge {
  readonly isTenantUserRole: boolean
  readonly identityEmailProperty?: IdOrName | null | undefined
  readonly identityPhoneProperty?: IdOrName | null | undefined
}

interface BridgeProperty {
  readonly property: NamedProperty
  readonly isList: boolean
}

/**
 * The properties by which an entity's records are linked to users. One that is not named is the entity's only property with the flag, if there is just
 * one; null says that there shall be none.
 */
export function readBridge(given: GivenBridge, properties: readonly BridgeProperty[], path: string) {
  const findings: Finding[] = []
  const named = (['identityEmailProperty', 'identityPhoneProperty'] as const).filter(
    (field) => given[field] !== undefined && given[field] !== null,
  )
  if (!given.isTenantUserRole) {
    for (const field of named) findings.push(finding(`${path}.${field}`, `${field} needs isTenantUserRole: true.`))
    return { email: null, phone: null, findings }
  }
  const pick = (field: 'identityEmailProperty' | 'identityPhoneProperty', flag: 'isIdentityEmail' | 'isIdentityPhone') => {
    const slot = given[field]
    if (slot === null) return null
    const fit = properties.filter((one) => one.property[flag] && !one.isList)
    if (slot === undefined) return fit.length === 1 ? (fit[0]?.property ?? null) : null
    const attached = properties.map((one) => one.property)
    const property = indexOf(attached, (one) => one.propertyId)(slot)
    if (!property) {
      const names = attached.map((one) => one.internalName)
      const message = `The entity has no property ${quoted(slot)}. Attach it with attach_property first; describe_entity shows those that it has.`
      const suggestion = typeof slot === 'string' ? nearest(slot, names) : undefined
      findings.push(finding(`${path}.${field}`, message, { code: 'unknown_property', suggestion }))
      return null
    }
    if (!property[flag])
      findings.push(finding(`${path}.${field}`, `${property.internalName} is not flagged ${flag}. Set that with update_property first.`))
    else if (!fit.some((one) => one.property === property))
      findings.push(finding(`${path}.${field}`, `${property.internalName} is a list; identity has one value.`))
    return property
  }
  const email = pick('identityEmailProperty', 'isIdentityEmail')
  const phone = pick('identityPhoneProperty', 'isIdentityPhone')
  if (email === null && phone === null && findings.length === 0) {
    const message = `Name the property that holds the e-mail or the phone number${properties.length === 0 ? '; the entity has no properties yet' : ''}. It must be flagged isIdentityEmail or isIdentityPhone.`
    findings.push(finding(`${path}.identityEmailProperty`, message))
  }
  return { email, phone, findings }
}

interface AttachedRow extends Omit<NamedProperty, 'optionFilters' | 'propertyId'> {
  readonly propertyId: number
  readonly isRequired: boolean
  readonly isList: boolean
  readonly keyPart: 1 | 2 | 3 | null
  readonly propertyOptionFilterId: number | null
  readonly numbering: Numbering | null
}

/** A copy of an entity under another name: `displays` stand in place of the copied ones of the same language. */
export function cloneOf(
  source: {
    readonly categoryId: number | null
    readonly verticalId: number | null
    readonly globalSourceId: number | null
    readonly isTenantUserRole: boolean
    readonly identityEmailPropertyId: number | null
    readonly identityPhonePropertyId: number | null
  },
  internalName: string,
  attached: readonly AttachedRow[],
  filters: ReadonlyMap<number, { readonly internalName: string }>,
  copied: readonly Omit<NewDisplay, 'regEx'>[],
  displays: readonly NewDisplay[],
): NewEntity {
  const properties = attached.map((row): NewEntityProperty => {
    const { isRequired, isList, keyPart, numbering } = row
    const optionFilter = row.propertyOptionFilterId === null ? null : (filters.get(row.propertyOptionFilterId)?.internalName ?? null)
    return { property: { ...row, optionFilters: [] }, isRequired, isList, keyPart, optionFilter, numbering }
  })
  const identity = (propertyId: number | null) => properties.find((one) => one.property.propertyId === propertyId)?.property ?? null
  const kept = copied.filter((display) => !displays.some((given) => given.languageRegionId === display.languageRegionId))
  return {
    internalName,
    displays: [...displays, ...kept.map((display) => ({ ...display, regEx: null }))],
    categoryId: source.categoryId,
    verticalId: source.verticalId,
    globalSourceId: source.globalSourceId,
    properties,
    isTenantUserRole: source.isTenantUserRole,
    identityEmail: identity(source.identityEmailPropertyId),
    identityPhone: identity(source.identityPhonePropertyId),
  }
}
