/** How pictures of a tenant's look are made, and what of the look is shown. */
import type { Branding, ImageKind } from './branding.schema.ts'

/** Of each kind the size in pixels. A home screen shows no transparency, and would paint it black. */
export const imageShapes: Readonly<
  Record<ImageKind, { readonly width: number; readonly height: number; readonly fit: 'inside' | 'contain'; readonly background?: string }>
> = {
  logo: { width: 512, height: 256, fit: 'inside' },
  favicon: { width: 32, height: 32, fit: 'contain' },
  apple: { width: 180, height: 180, fit: 'contain', background: '#ffffff' },
  android: { width: 192, height: 192, fit: 'contain' },
}

/** A row without what is not told of the look. */
export function toBranding({ tenantId, brandName, logoKey, faviconKey, appleIconKey, androidIconKey, cssJson }: Branding): Branding {
  return { tenantId, brandName, logoKey, faviconKey, appleIconKey, androidIconKey, cssJson }
}
