/** The ten roles and their bits in `roleFlag`, as the API has them. */

export const roleBits = {
  BuilderAdmin: 1,
  DataView: 2,
  DataImport: 4,
  DataEdit: 8,
  DataDelete: 16,
  FileEdit: 32,
  AdminUser: 64,
  AdminIntegration: 128,
  AdminCSS: 256,
  GlobalAdmin: 512,
} as const
export type RoleName = keyof typeof roleBits
export const roleNames = Object.keys(roleBits) as readonly RoleName[]
