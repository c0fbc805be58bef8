/** A form layout as it was read: everything that it names found in the catalog, and everything that it leaves open decided. */
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

import type { channels, Control, Text } from './layout.schema.ts'

export type Channel = (typeof channels)[number]

/** Keys and indexes from the top of the layout. */
export type Place = readonly (string | number)[]

/** Options that are offered while a condition holds; undefined: always. */
export interface OfferedOptions {
  readonly when: unknown
  readonly optionIds: ReadonlySet<number>
}

export interface Capture {
  readonly maxBytes: number
  readonly source: 'any' | 'camera' | 'gallery'
  /** Extensions in lower case without a dot; empty: any that the property takes. */
  readonly accept: readonly string[]
  /** In pixels; undefined: as they are taken. */
  readonly maxEdge: number | undefined
}

/**
 * A field of a form. Its conditions are filters as they were sent, tokens of the caller in them: in a detail section on the entity of the form, in a list
 * section on the entity of the rows, whose parent is the record of the form.
 */
export interface FormField {
  /** Where it stands in the layout. */
  readonly at: Place
  readonly property: CatalogProperty
  readonly label: Text | undefined
  readonly help: Text | undefined
  /** By the property or by the form; `requiredWhen` may ask for more. */
  readonly isRequired: boolean
  /** By the form, or because its value is locked or given by the server. */
  readonly isReadOnly: boolean
  /** A value, a text with tokens, or `{$expr}`; undefined: none. */
  readonly default: unknown
  readonly control: Control
  readonly span: number
  readonly visibleWhen: unknown
  readonly requiredWhen: unknown
  /** Undefined: every option of the property. */
  readonly optionsFilter: readonly OfferedOptions[] | undefined
  /** Of a field that takes files. */
  readonly capture: Capture | undefined
  readonly storageShortcut: string | number | undefined
  readonly channels: readonly Channel[]
}

interface AnySection {
  readonly at: Place
  readonly name: string
  readonly title: Text | undefined
  /** On the entity of the form, for both kinds of section. */
  readonly visibleWhen: unknown
  readonly storageShortcut: string | number | undefined
  readonly channels: readonly Channel[]
  readonly fields: readonly FormField[]
}

export interface DetailSection extends AnySection {
  readonly type: 'detail'
}

export interface ListSection extends AnySection {
  readonly type: 'list'
  /** Of the rows: a child of the entity of the form. */
  readonly entity: CatalogEntity
  readonly columns: readonly CatalogProperty[]
  readonly min: number
  readonly max: number
  readonly allowAdd: boolean
  readonly allowEdit: boolean
  readonly allowDelete: boolean
  /** Which rows there are; undefined: all children of the record. */
  readonly filter: unknown
  readonly sort: unknown
  /** What the filter says eq of: every row has this value, and nobody sends it. */
  readonly lockedFields: LockedFields
  /** Required, and possibly hidden or nowhere to be entered. */
  readonly hiddenRequired: readonly CatalogProperty[]
}

export type FormSection = DetailSection | ListSection

/** By property its value as the filter says it: canonical on the wire, or a token of the caller. */
export type LockedFields = ReadonlyMap<CatalogProperty, unknown>

/** The view that a form is bound to. */
export interface BoundView {
  readonly viewId: number
  readonly internalName: string
  readonly entityId: number
  /** As a list of records takes them; a record fulfils all of them. */
  readonly filters: readonly unknown[]
  readonly sort: unknown
  readonly pageSize: number | undefined
  /** Why the view cannot be run today. */
  readonly problem: string | undefined
}

export interface FormLayout {
  readonly entity: CatalogEntity
  /** Undefined: bound to the entity itself. */
  readonly view: BoundView | undefined
  readonly allowNew: boolean
  readonly allowEdit: boolean
  readonly allowDelete: boolean
  readonly channels: readonly Channel[]
  readonly pages: 'scroll' | 'section'
  readonly storageShortcut: string | number | undefined
  readonly sections: readonly FormSection[]
  /** The filters of the view, and the lock: a record outside is not there for the form. */
  readonly within: readonly unknown[]
  readonly lockedFields: LockedFields
  readonly hiddenRequired: readonly CatalogProperty[]
}
