/** Entities on the wire: what records are made of, and how they stand to each other. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId, idOrName, newName } from '#platform/names.ts'
import { dataTypes, displayInputs } from '#tools/properties/properties.schema.ts'

import { ownAccess } from './access.schema.ts'

export const maxProperties = 300

export const entityId = definitionId.describe('As list_entities shows it')
export const entityPropertyId = definitionId.describe('As describe_entity shows it')
export const entityPropertySlot = idOrName.describe('entityPropertyId, or the internalName of the property')
export const keyPart = z
  .union([z.literal(1), z.literal(2), z.literal(3)])
  .describe('The part of the record key that follows from this property')

/** How the server numbers new records in a Text property. */
export const numbering = z.object({ prefix: z.string(), digits: z.int() })
export type Numbering = z.output<typeof numbering>

export const numberingInput = z
  .strictObject({
    prefix: z.string().max(40).optional(),
    digits: z.int().min(1).max(15).optional().describe('At least so many, filled with zeros; 1 unless told'),
  })
  .describe('Text: a new record without a value gets the next number, unique in the entity')

export const attachment = z.strictObject({
  property: idOrName.describe('Id or internalName'),
  isRequired: z.boolean().optional(),
  isList: z.boolean().optional().describe('A record holds several values'),
  keyPart: keyPart.nullable().optional(),
  numbering: numberingInput.nullable().optional(),
})

export const entityDefinition = z.object({
  internalName: newName('entity'),
  displays: displayInputs.optional(),
  categoryId: definitionId.nullable().optional().describe('As list_categories shows it'),
  verticalId: definitionId.nullable().optional().describe('As list_verticals shows it'),
  properties: z.array(attachment).max(maxProperties).optional().describe('In their order'),
})

export const cardinalityFields = {
  isRequired: z.boolean().optional(),
  isList: z.boolean().optional(),
} as const

/** As a catalog document holds one: relationships, identity and option subsets too, all by name. */
export const portableEntity = z.strictObject({
  ...entityDefinition.shape,
  category: z.string().max(64).nullable().optional().describe('internalName, instead of categoryId'),
  vertical: z.string().max(64).nullable().optional().describe('internalName, instead of verticalId'),
  properties: z
    .array(
      z.strictObject({
        ...attachment.shape,
        optionFilter: z.string().max(64).nullable().optional().describe('internalName of a subset of the property'),
      }),
    )
    .max(maxProperties)
    .optional(),
  children: z
    .array(z.strictObject({ childEntity: idOrName, ...cardinalityFields }))
    .max(200)
    .optional()
    .describe('isRequired: its records need a parent; isList (true): a parent may have several'),
  peers: z
    .array(z.strictObject({ peerEntity: idOrName, ...cardinalityFields }))
    .max(200)
    .optional(),
  isTenantUserRole: z.boolean().optional().describe('Its records are people; see set_entity_identity_bridge'),
  identityEmailProperty: z.string().max(64).nullable().optional(),
  identityPhoneProperty: z.string().max(64).nullable().optional(),
})

export type PortableEntity = z.output<typeof portableEntity>

/** A row of list_entities. */
export const entity = z.object({
  entityId,
  internalName: z.string(),
  name: z.string(),
  description: z.string(),
  propertyCount: z.int(),
  categoryId: z.int().nullable(),
  verticalId: z.int().nullable(),
  globalSourceId: z.int().nullable(),
  displays: z.array(z.object({ languageRegionId: z.int(), name: z.string(), description: z.string() })),
})

export type Entity = z.output<typeof entity>

/** An element of an entity: a property, or a child entity, whose property fields are null. */
export const entityProperty = z.object({
  entityPropertyId,
  propertyId: z.int().nullable(),
  propertyInternalName: z.string().nullable(),
  dataTypeId: z.int().nullable(),
  propertyName: z.string().nullable(),
  propertyDescription: z.string().nullable(),
  childEntityId: z.int().nullable(),
  childEntityInternalName: z.string().nullable(),
  childEntityName: z.string().nullable(),
  propertyOptionFilterId: z.int().nullable(),
  isRequired: z.boolean().describe('Of a property: a record needs a value; of a child entity: its records need a parent'),
  isList: z.boolean().describe('Of a property: several values; of a child entity: several children of one parent'),
  keyPart: keyPart.nullable(),
  numbering: numbering.optional(),
  isSensitive: z.boolean(),
  position: z.int(),
})

export type EntityProperty = z.output<typeof entityProperty>

/** What is recognised in files that are saved. */
export const analysisShown = z.object({ ocr: z.boolean(), classify: z.boolean() })

/** An element of describe_entity: what a save of the property is held against, too. */
export const describedProperty = entityProperty.extend({
  dataType: z.enum(dataTypes).nullable().describe('null: a child entity'),
  regEx: z.string().optional(),
  minValueOrLength: z.number().optional(),
  maxValueOrLength: z.number().optional(),
  maxDecimalPlaces: z.int().optional(),
  allowedFileTypes: z.array(z.string()).optional(),
  analysis: analysisShown.optional().describe('Of an Attachment, as set_attachment_analysis has it'),
  options: z
    .array(z.object({ internalName: z.string(), name: z.string(), parent: z.string().optional() }))
    .optional()
    .describe('What it takes, up to 200'),
  optionCount: z.int().optional().describe('Of all, where options holds fewer: list_property_options shows them'),
})

export type DescribedProperty = z.output<typeof describedProperty>

export const entityDetail = z.object({
  entity: z.object({
    entityId,
    internalName: z.string(),
    name: z.string(),
    description: z.string(),
    categoryId: z.int().nullable(),
    verticalId: z.int().nullable(),
    globalSourceId: z.int().nullable(),
    isTenantUserRole: z.boolean().describe('Its records are people, linked to users by the two properties below'),
    identityEmailPropertyId: z.int().nullable(),
    identityPhonePropertyId: z.int().nullable(),
  }),
  properties: z.array(describedProperty),
  access: ownAccess,
})

/** The other end of a relationship. */
export const relative = z.object({ entityId, internalName: z.string(), name: z.string(), isRequired: z.boolean(), isList: z.boolean() })

export type Relative = z.output<typeof relative>

export const deleted = z.literal(true)

export const exampleEntity: Entity = {
  entityId: 10_060,
  internalName: 'WorkOrder',
  name: 'Work order',
  description: '',
  propertyCount: 2,
  categoryId: 7,
  verticalId: 2,
  globalSourceId: null,
  displays: [{ languageRegionId: 1, name: 'Work order', description: '' }],
}

export const exampleEntityInput = {
  internalName: 'WorkOrder',
  displays: [{ languageCode: 'en-US', name: 'Work order' }],
  categoryId: 7,
  verticalId: 2,
  properties: [{ property: 'OrderNumber', isRequired: true, keyPart: 1 as const }, { property: 'Priority' }],
}

export const exampleEntityProperty: EntityProperty = {
  entityPropertyId: 10_064,
  propertyId: 10_041,
  propertyInternalName: 'Priority',
  dataTypeId: 6,
  propertyName: 'Priority',
  propertyDescription: 'How soon the work must begin',
  childEntityId: null,
  childEntityInternalName: null,
  childEntityName: null,
  propertyOptionFilterId: null,
  isRequired: false,
  isList: false,
  keyPart: null,
  isSensitive: false,
  position: 2,
}

export const exampleChild: EntityProperty = {
  ...exampleEntityProperty,
  entityPropertyId: 10_071,
  propertyId: null,
  propertyInternalName: null,
  dataTypeId: null,
  propertyName: null,
  propertyDescription: null,
  childEntityId: 10_066,
  childEntityInternalName: 'WorkLog',
  childEntityName: 'Work log',
  isRequired: true,
  isList: true,
  position: 3,
}

component('Entity', entity)
component('EntityDetail', entityDetail)
component('EntityProperty', entityProperty)
component('RelatedEntity', relative)
component('Attachment', attachment)
component('CatalogEntity', portableEntity)
