/** Languages of a tenant on the wire. */
import { z } from 'zod'

export const tenantLanguage = z.object({
  languageRegionId: z.int().min(1),
  languageCode: z.string(),
  displayName: z.string(),
  isEnabled: z.boolean().describe('Offered to users of the tenant'),
  isDefault: z.boolean(),
})

export type TenantLanguage = z.infer<typeof tenantLanguage>

export const exampleLanguage: TenantLanguage = {
  languageRegionId: 7,
  languageCode: 'de-DE',
  displayName: 'German (Germany)',
  isEnabled: true,
  isDefault: true,
}
