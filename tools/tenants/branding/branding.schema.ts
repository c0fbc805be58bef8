/** A tenant's look on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'

import { tenantId, theme } from '../tenants.schema.ts'

export const imageKind = z.enum(['logo', 'favicon', 'apple', 'android'])
export type ImageKind = z.infer<typeof imageKind>

const imageKey = z.uuid().nullable().describe('An assetKey')

export const branding = z.object({
  tenantId,
  brandName: z.string(),
  logoKey: imageKey,
  faviconKey: imageKey,
  appleIconKey: imageKey,
  androidIconKey: imageKey,
  cssJson: theme,
})
export type Branding = z.infer<typeof branding>

const image = z.string().nullable().describe('A data URL; null: none')

export const publicBranding = z.object({
  name: z.string(),
  languageCode: z.string().nullable(),
  cssJson: theme,
  icons: z.object({ logo: image, favicon: image, apple: image, android: image }),
})

export const exampleBranding: Branding = {
  tenantId: 3,
  brandName: 'Northwind Field Services',
  logoKey: '0d9f2f5e-3a86-4a52-9f0a-2c1d5b7e6a10',
  faviconKey: null,
  appleIconKey: null,
  androidIconKey: null,
  cssJson: { '--theme-primary': '#17624a', '--theme-radius': '8px' },
}

component('Branding', branding)
