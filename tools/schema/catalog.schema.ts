/** Catalog documents: definitions that travel between tenants, everything in them by name. */
import { z } from 'zod'

import { component, documentAs } from '#platform/document-schema.ts'
import { newName } from '#platform/names.ts'
import { issue } from '#platform/validation.ts'
import { portableEntity } from '#tools/entities/entities.schema.ts'
import { dataTypes, portableProperty } from '#tools/properties/properties.schema.ts'

export const catalogDocument = z.object({
  categories: z
    .array(z.strictObject({ internalName: newName() }))
    .max(500)
    .optional()
    .describe('Made where they do not exist'),
  properties: z.array(portableProperty).max(2_000).optional(),
  entities: z.array(portableEntity).max(1_000).optional(),
})

export type CatalogDocument = z.output<typeof catalogDocument>

/** The same document, shown briefly: import_catalog shows what stands in it. */
export const exportedCatalog = z.object({
  categories: z.array(z.object({ internalName: z.string() })).optional(),
  properties: z.array(documentAs(z.looseObject({ internalName: z.string() }), portableProperty)),
  entities: z.array(documentAs(z.looseObject({ internalName: z.string() }), portableEntity)),
})

export const importFields = {
  whenExists: z
    .enum(['refuse', 'skip'])
    .optional()
    .describe('What a name that is taken does: refuse (default) all of it, or skip that definition and use the one that is there'),
  scope: z.enum(['tenant', 'global']).optional().describe('global publishes what is imported to every tenant; for global administrators'),
} as const

export const catalogImport = catalogDocument.extend(importFields)

const outcome = z.enum(['created', 'skipped'])

export const importResult = z.object({
  created: z.int(),
  skipped: z.int(),
  properties: z.array(z.object({ propertyId: z.int(), internalName: z.string(), outcome })),
  entities: z.array(z.object({ entityId: z.int(), internalName: z.string(), outcome })),
  issues: z.array(issue).describe('Warnings'),
})

export type ImportResult = z.output<typeof importResult>

const offered = {
  globalSourceId: z.int().describe('Takes it to install_catalog_items'),
  internalName: z.string(),
  name: z.string(),
  description: z.string(),
  category: z.string().nullable(),
  vertical: z.string().nullable(),
  source: z.enum(['product', 'published']),
  isInstalled: z.boolean(),
} as const

export const offer = z.object({
  properties: z.array(z.object({ ...offered, dataType: z.enum(dataTypes) })),
  entities: z.array(z.object({ ...offered, properties: z.array(z.string()), children: z.array(z.string()), peers: z.array(z.string()) })),
})

export const exampleDocument = {
  properties: [
    {
      internalName: 'OrderNumber',
      dataType: 'Text' as const,
      maxValueOrLength: 20,
      displays: [{ languageCode: 'en-US', name: 'Order number' }],
    },
    {
      internalName: 'Priority',
      dataType: 'Choice' as const,
      category: 'Work',
      propertyOptions: [{ internalName: 'Low' }, { internalName: 'Urgent' }],
    },
    { internalName: 'Note', dataType: 'Text' as const },
  ],
  entities: [
    {
      internalName: 'WorkOrder',
      vertical: 'FieldService',
      displays: [{ languageCode: 'en-US', name: 'Work order' }],
      properties: [{ property: 'OrderNumber', isRequired: true, keyPart: 1 as const }, { property: 'Priority' }],
      children: [{ childEntity: 'WorkLog', isRequired: true }],
    },
    { internalName: 'WorkLog', properties: [{ property: 'Note', isRequired: true }] },
  ],
}

export const exampleResult: ImportResult = {
  created: 5,
  skipped: 0,
  properties: [
    { propertyId: 10_030, internalName: 'OrderNumber', outcome: 'created' },
    { propertyId: 10_041, internalName: 'Priority', outcome: 'created' },
    { propertyId: 10_044, internalName: 'Note', outcome: 'created' },
  ],
  entities: [
    { entityId: 10_060, internalName: 'WorkOrder', outcome: 'created' },
    { entityId: 10_066, internalName: 'WorkLog', outcome: 'created' },
  ],
  issues: [],
}

component('CatalogExport', exportedCatalog)
component('CatalogImportResult', importResult)
component('CatalogOffer', offer)
