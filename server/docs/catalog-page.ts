/** The reference page of what ships with the product and can be installed into a tenant. */
import { productOffer } from '#tools/schema/service.ts'

import { table } from './markdown.ts'

type Property = (typeof productOffer)['properties'][number]
type Entity = (typeof productOffer)['entities'][number]

function displayOf({ definition }: Property | Entity): { name: string; description: string } {
  const display = definition.displays?.[0]
  return { name: display?.name ?? definition.internalName, description: display?.description ?? '' }
}

function rulesOf({ definition }: Property): string {
  const {
    minValueOrLength: least,
    maxValueOrLength: most,
    maxDecimalPlaces,
    regEx,
    allowedFileTypes,
    isSensitive,
    propertyOptions,
  } = definition
  const range =
    least === undefined || least === null
      ? most === undefined || most === null
        ? undefined
        : `at most ${most}`
      : most === undefined || most === null
        ? `at least ${least}`
        : `${least} to ${most}`
  const rules = [
    range,
    maxDecimalPlaces === undefined || maxDecimalPlaces === null ? undefined : `${maxDecimalPlaces} decimal places`,
    regEx ? `matches \`${regEx}\`` : undefined,
    allowedFileTypes && allowedFileTypes.length > 0 ? allowedFileTypes.join(', ') : undefined,
    propertyOptions && propertyOptions.length > 0 ? propertyOptions.map((option) => option.internalName).join(', ') : undefined,
    isSensitive ? 'sensitive' : undefined,
  ]
  return rules.filter((rule) => rule !== undefined).join('; ')
}

function attachedOf({ definition }: Entity): string {
  return (definition.properties ?? [])
    .map(({ property, isRequired, isList, keyPart }) => {
      const notes = [keyPart ? `key ${keyPart}` : '', isRequired ? 'required' : '', isList ? 'list' : ''].filter(Boolean)
      return `\`${property}\`${notes.length > 0 ? ` (${notes.join(', ')})` : ''}`
    })
    .join(', ')
}

function sectionOf(entity: Entity): string {
  const { definition, id } = entity
  const { name, description } = displayOf(entity)
  const related = [
    definition.children?.length ? `Children: ${definition.children.map(({ childEntity }) => `\`${childEntity}\``).join(', ')}.` : '',
    definition.peers?.length ? `Peers: ${definition.peers.map(({ peerEntity }) => `\`${peerEntity}\``).join(', ')}.` : '',
    definition.isTenantUserRole ? 'Its records are people, linked to users.' : '',
  ]
  const about = [
    `${name}.`,
    description === '' ? '' : `${description}.`,
    definition.vertical ? `For ${definition.vertical}.` : '',
    `globalSourceId ${id}.`,
  ]
  return [`### ${definition.internalName}`, about.filter(Boolean).join(' '), `Properties: ${attachedOf(entity)}.`, ...related]
    .filter(Boolean)
    .join('\n\n')
}

/** Properties and entities of the product, as browse_catalog offers them. */
export function catalogPage(): string {
  const { properties, entities } = productOffer
  const rows = properties.map((property) => {
    const { internalName, dataType, category } = property.definition
    const { name, description } = displayOf(property)
    return [
      `\`${internalName}\``,
      dataType ?? '',
      category ?? '',
      description === '' ? name : `${name}: ${description}`,
      rulesOf(property),
      String(property.id),
    ]
  })
  return `${[
    '# The shipped catalog',
    'Properties and entities that come with the product. `browse_catalog` shows them, `install_catalog_items` copies them into a tenant by `globalSourceId`; an entity brings the properties that it needs.',
    '## Entities',
    ...entities.map(sectionOf),
    '## Properties',
    table(['internalName', 'type', 'category', 'about', 'rules and options', 'globalSourceId'], rows),
  ].join('\n\n')}\n`
}
