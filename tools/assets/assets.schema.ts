/** Assets on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId } from '#platform/names.ts'

// As it is kept, so that an answer that repeats the caller's key is equal to the one that the list shows.
export const assetKey = z.uuid().toLowerCase().describe('From upload_asset, create_upload_url or list_assets')

export const asset = z.object({
  assetKey,
  originalFileName: z.string(),
  title: z.string(),
  mimeType: z.string().describe('By its bytes, whatever the uploader said'),
  fileExtension: z.string().describe('Without a dot; empty where neither bytes nor name tell'),
  fileSize: z.int().describe('Bytes'),
  subPath: z.string(),
  isSensitive: z.boolean(),
  assetFolderId: z.int().nullable(),
  folderPath: z.string(),
  workflowId: z.int().nullable(),
  stepId: z.int().nullable(),
  propertyId: z.int().nullable(),
  createdDate: z.iso.datetime(),
  modifiedDate: z.iso.datetime(),
})

export type Asset = z.output<typeof asset>

/** What a caller may say of a file beside its bytes. */
export const fileFields = {
  title: z.string().min(1).max(200).optional().describe('The file name unless told'),
  isSensitive: z.boolean().optional().describe('Reads of a sensitive asset are audited. Follows the property when propertyId is given'),
  propertyId: definitionId
    .optional()
    .describe('The Attachment, Signature or Binary property it is meant for; its allowedFileTypes and sensitivity then hold'),
  storageShortcutId: definitionId.optional(),
  storageSubFolder: z.string().max(300).optional().describe('Folders joined by "/"; may hold {PrimaryEntity} and {PrimaryExternalKey}'),
} as const

export const fileName = z.string().min(1).max(1000).describe('With its extension')

export const mediaType = z.string().max(200).describe('A hint; the bytes decide')

/** An asset as the examples show it. */
export const exampleAsset = {
  assetKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10',
  originalFileName: 'gate-4.jpg',
  title: 'Gate 4 before the repair',
  mimeType: 'image/jpeg',
  fileExtension: 'jpg',
  fileSize: 482133,
  subPath: 'inspections/2026',
  isSensitive: false,
  assetFolderId: null,
  folderPath: '',
  workflowId: null,
  stepId: null,
  propertyId: null,
  createdDate: '2026-11-21T09:30:00.000Z',
  modifiedDate: '2026-11-21T09:30:00.000Z',
} satisfies Asset

component('Asset', asset)
