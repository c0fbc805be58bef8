/** A new kind of record as somebody describes it, and the catalog that makes it in one call. */

export const types = [
  'Text',
  'Number',
  'Currency',
  'Boolean',
  'DateOnly',
  'DateTime',
  'TimeOnly',
  'Choice',
  'Attachment',
  'Signature',
] as const
export type Type = (typeof types)[number]

export interface DraftProperty {
  readonly id: number
  /** Of one that the tenant has already; empty: a new one. */
  readonly existing: string
  readonly label: string
  readonly type: Type
  /** Of a Choice, one on each line. */
  readonly options: string
  readonly isRequired: boolean
  readonly isList: boolean
  readonly isKey: boolean
  /** Of an Attachment. */
  readonly isRecognised: boolean
}

export interface DraftKind {
  readonly label: string
  readonly description: string
  readonly properties: readonly DraftProperty[]
}

/** The name for programs that a name for people makes: `Work order no. 1` is `WorkOrderNo1`. Empty where nothing of it is left. */
export function internalNameOf(label: string): string {
  const words = label
    .replaceAll('ß', 'ss')
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
  const name = words.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')
  return name.replace(/^\d+/, '').slice(0, 64)
}

const displaysOf = (languageCode: string, name: string, text = '') => [
  { languageCode, name: name.trim(), ...(text.trim() === '' ? {} : { description: text.trim() }) },
]

/** As create_property and import_catalog take one. */
export function newPropertyOf(property: DraftProperty, languageCode: string) {
  return {
    internalName: internalNameOf(property.label),
    dataType: property.type,
    displays: displaysOf(languageCode, property.label),
    ...(property.type === 'Choice'
      ? {
          propertyOptions: property.options
            .split('\n')
            .filter((line) => internalNameOf(line) !== '')
            .map((line) => ({ internalName: internalNameOf(line), displays: displaysOf(languageCode, line) })),
        }
      : {}),
  }
}

export function catalogOf({ label, description, properties }: DraftKind, languageCode: string) {
  const nameOf = ({ existing, label: own }: DraftProperty) => (existing === '' ? internalNameOf(own) : existing)
  const used = properties.filter((property) => nameOf(property) !== '')
  const keys = used.filter(({ isKey }) => isKey)
  return {
    properties: used.filter(({ existing }) => existing === '').map((property) => newPropertyOf(property, languageCode)),
    entities: [
      {
        internalName: internalNameOf(label),
        displays: displaysOf(languageCode, label, description),
        properties: used.map((property) => {
          const part = keys.indexOf(property)
          return {
            property: nameOf(property),
            isRequired: property.isRequired || property.isKey,
            isList: property.isList,
            // A key has at most three parts; the API says so where there are more.
            ...(part === -1 ? {} : { keyPart: (part + 1) as 1 | 2 | 3 }),
          }
        }),
      },
    ],
  }
}
