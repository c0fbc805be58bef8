/** A layout for an entity that nobody has drawn yet: what it asks first, which controls, what stands beside what. */
import { nameOf } from '#platform/names.ts'
import type { Body } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'

import { allowedControls, takesFiles } from './controls.rules.ts'
import { type Control, maxFieldsInAll, maxSections, type Text } from './layout.schema.ts'

/** Up to here everything stands in one section; above, files and long texts have their own. */
const fieldsOfOneSection = 8
const fieldsOfList = 40
const columnsOfList = 4
const optionsAtAGlance = 4
const shortText = 60
const longText = 250
const wide = 12
const half = 6

const longNames = /note|comment|descri|remark|detail|reason|summary|text|bemerk|notiz|beschreib|anmerk|observa|coment/i
const pictures: ReadonlySet<string> = new Set(['jpg', 'jpeg', 'png', 'gif', 'webp', 'heic', 'heif', 'avif', 'bmp', 'tif', 'tiff'])
const sounds: ReadonlySet<string> = new Set(['mp3', 'm4a', 'wav', 'ogg', 'aac', 'amr'])
const films: ReadonlySet<string> = new Set(['mp4', 'mov', 'webm', '3gp', 'avi'])

const titles = {
  main: { en: 'Main details', de: 'Hauptangaben', fr: 'Informations principales', es: 'Datos principales' },
  more: { en: 'More', de: 'Weiteres', fr: 'Autres', es: 'Más' },
  notes: { en: 'Notes', de: 'Notizen', fr: 'Notes', es: 'Notas' },
  files: { en: 'Files', de: 'Dateien', fr: 'Fichiers', es: 'Archivos' },
} as const satisfies Record<string, Text>

type SectionName = keyof typeof titles

function isLong({ dataType, internalName, maxValueOrLength, isList, isIdentityEmail, isIdentityPhone, keyPart }: CatalogProperty): boolean {
  if (dataType !== 'Text' || isList || isIdentityEmail || isIdentityPhone || keyPart !== null) return false
  return maxValueOrLength === null ? longNames.test(internalName) : maxValueOrLength > longText
}

function controlOf(property: CatalogProperty): Control {
  const { dataType, isList, options, optionFilter, allowedFileTypes: types } = property
  if (isLong(property)) return 'longText'
  if (dataType === 'Text' && property.isIdentityEmail) return 'email'
  if (dataType === 'Text' && property.isIdentityPhone) return 'phone'
  const count = optionFilter?.size ?? options.length
  if (dataType === 'Choice' && !isList && count <= optionsAtAGlance) return 'radio'
  if (dataType === 'Attachment' && types.length > 0) {
    if (types.every((type) => pictures.has(type))) return 'photo'
    if (types.every((type) => sounds.has(type))) return 'audio'
    if (types.every((type) => films.has(type))) return 'video'
  }
  return allowedControls(property)[0]
}

function spanOf(property: CatalogProperty): number {
  if (property.isList || takesFiles(property)) return wide
  if (property.dataType !== 'Text') return half
  if (isLong(property)) return wide
  const { maxValueOrLength: most, isIdentityEmail, isIdentityPhone, keyPart } = property
  return isIdentityEmail || isIdentityPhone || keyPart !== null || (most !== null && most <= shortText) ? half : wide
}

/** What the server writes by itself: numbers, and what recognition reads in a file. */
function writtenByServer(entity: CatalogEntity): ReadonlySet<number> {
  return new Set(
    entity.properties.flatMap(({ analysis, numbering, entityPropertyId }) => {
      // Written by set_attachment_analysis; null where there is none.
      const targets = (analysis as { targets?: Readonly<Record<string, number | undefined>> } | null)?.targets ?? {}
      return [...Object.values(targets), numbering ? entityPropertyId : undefined].flatMap((id) => id ?? [])
    }),
  )
}

function fieldOf(property: CatalogProperty, byServer: ReadonlySet<number>): Body {
  return {
    property: property.internalName,
    control: controlOf(property),
    span: spanOf(property),
    ...(property.isRequired ? { required: true } : {}),
    ...(byServer.has(property.entityPropertyId) ? { readOnly: true } : {}),
  }
}

function sectionOf(property: CatalogProperty): SectionName {
  if (takesFiles(property)) return 'files'
  if (isLong(property)) return 'notes'
  return property.keyPart !== null || property.numbering || property.isRequired ? 'main' : 'more'
}

const order: readonly SectionName[] = ['main', 'more', 'notes', 'files']

/** Key parts first, then what must be said, then the rest, each in the order of the entity; long texts and files at the end. */
function ordered(entity: CatalogEntity): CatalogProperty[] {
  const rank = (property: CatalogProperty) => order.indexOf(sectionOf(property)) * 10 + (property.keyPart ?? (property.numbering ? 4 : 5))
  return entity.properties.toSorted((a, b) => rank(a) - rank(b))
}

function details(entity: CatalogEntity): Body[] {
  const byServer = writtenByServer(entity)
  const properties = ordered(entity)
  const isSmall = properties.length <= fieldsOfOneSection
  const groups = Map.groupBy(properties, (property): SectionName => (isSmall ? 'main' : sectionOf(property)))
  // Where nothing is required, what comes first is the main thing.
  if (!groups.has('main') && groups.has('more')) {
    groups.set('main', groups.get('more') ?? [])
    groups.delete('more')
  }
  return order.flatMap((name) => {
    const group = groups.get(name)
    if (!group) return []
    return [{ type: 'detail', name, title: titles[name], fields: group.map((property) => fieldOf(property, byServer)) }]
  })
}

/** A name for the section that no other has. */
function listName(child: CatalogEntity, taken: Set<string>): string {
  const base = `${child.internalName.charAt(0).toLowerCase()}${child.internalName.slice(1)}`
  let name = base
  for (let n = 2; taken.has(name.toLowerCase()); n++) name = `${base.slice(0, 60)}${n}`
  taken.add(name.toLowerCase())
  return name
}

function listOf(child: CatalogEntity, isMany: boolean, title: Text | undefined, taken: Set<string>): Body {
  const byServer = writtenByServer(child)
  const properties = ordered(child)
  const shown = properties.slice(0, fieldsOfList)
  // What a row must say stays, however many properties come before it.
  const needed = properties.slice(fieldsOfList).filter((property) => property.isRequired)
  const columns = shown.filter((property) => !takesFiles(property) && !isLong(property)).slice(0, columnsOfList)
  return {
    type: 'list',
    name: listName(child, taken),
    ...(title === undefined ? {} : { title }),
    entity: child.internalName,
    ...(columns.length === 0 ? {} : { columns: columns.map((property) => property.internalName) }),
    fields: [...shown, ...needed].map((property) => fieldOf(property, byServer)),
    ...(isMany ? {} : { max: 1 }),
  }
}

/** How a form of the entity is called where nobody has said so. */
export function draftName(entity: CatalogEntity, n: number): string {
  const tail = n === 1 ? 'Form' : `Form${n}`
  return nameOf(`${entity.internalName.slice(0, 64 - tail.length)}${tail}`) ?? `Form${n}`
}

/** The layout; undefined where there is nothing to fill in. `titleOf` tells what people call an entity. */
export function draftLayout(
  catalog: Catalog,
  entity: CatalogEntity,
  internalName: string,
  titleOf: (entityId: number) => Text | undefined,
): Body | undefined {
  const sections = details(entity)
  let fields = entity.properties.length
  const taken = new Set(sections.map((section) => String(section['name'])))
  for (const { entityId, isList } of entity.children) {
    const child = catalog.byIdOrName.get(String(entityId))
    if (!child || child.properties.length === 0 || sections.length === maxSections) continue
    fields += child.properties.length
    if (fields > maxFieldsInAll) break
    sections.push(listOf(child, isList, titleOf(entityId), taken))
  }
  if (sections.length === 0) return undefined
  return {
    internalName,
    entity: entity.internalName,
    binding: { type: 'entity', name: entity.internalName },
    allowNew: true,
    allowEdit: true,
    allowDelete: false,
    channels: ['web', 'mobile', 'rich'],
    pages: sections.length > 3 ? 'section' : 'scroll',
    sections,
  }
}
