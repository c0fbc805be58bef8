/** The ten roles, their bits in `roleFlag`, and the role expressions of operations.tsv. */

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

/** The sum of every bit but GlobalAdmin: what the first administrator of a tenant holds. */
export const tenantAdminRoles = 511

/** Of those who administer anything: tenants may ask more of them. */
export const administratorRoles =
  roleBits.BuilderAdmin | roleBits.AdminUser | roleBits.AdminIntegration | roleBits.AdminCSS | roleBits.GlobalAdmin

/** What each role is for, as list_roles and the docs show it. */
export const roleDescriptions: Readonly<Record<RoleName, string>> = {
  BuilderAdmin: 'Authors properties, entities, forms, workflows and surfaces',
  DataView: 'Reads records, assets, messages and definitions',
  DataImport: 'Saves records in bulk and imports files',
  DataEdit: 'Saves records one by one and sends messages',
  DataDelete: 'Deletes and restores records',
  FileEdit: 'Uploads, changes and deletes assets',
  AdminUser: 'Administers users, their roles and contacts, and reads the audit log',
  AdminIntegration: 'Administers API keys, channels, storage and synchronisation',
  AdminCSS: 'Changes the branding of the tenant',
  GlobalAdmin: 'Provisions and administers tenants',
}

/**
 * The role column of operations.tsv: `any`, `Public`, `Agent`, `Person` (a person's own session), or role names joined by `|` (one of them) or `&` (all of them);
 * `Signed` among alternatives admits a signed URL.
 */
export type RoleExpression =
  | 'any'
  | 'Public'
  | 'Agent'
  | 'Person'
  | 'Signed'
  | RoleName
  | `${RoleName}|${RoleName | 'Signed'}`
  | `${RoleName}&${RoleName}`

export interface RoleRule {
  readonly needsCredential: boolean
  readonly admitsSigned: boolean
  readonly admitsAgent: boolean
  /** A person's own session alone: no key, grant, signed URL or run, whatever its roles. */
  readonly isOfPerson: boolean
  /** Each entry is a mask; the caller passes when it holds every bit of at least one of them. Empty: any signed-in caller. */
  readonly masks: readonly number[]
}

export function isRoleName(text: string): text is RoleName {
  return text in roleBits
}

const signedIn: RoleRule = { needsCredential: true, admitsSigned: false, admitsAgent: false, isOfPerson: false, masks: [] }

/** Parses a role expression. Throws on a name that is no role, so that a typo fails at boot. */
export function parseRoles(expression: string): RoleRule {
  if (expression === 'any') return signedIn
  if (expression === 'Public') return { ...signedIn, needsCredential: false }
  if (expression === 'Agent') return { ...signedIn, admitsAgent: true }
  if (expression === 'Person') return { ...signedIn, isOfPerson: true }
  const masks: number[] = []
  let admitsSigned = false
  for (const alternative of expression.split('|')) {
    if (alternative === 'Signed') {
      admitsSigned = true
      continue
    }
    let mask = 0
    for (const name of alternative.split('&')) {
      if (!isRoleName(name)) throw new Error(`"${name}" is not a role`)
      mask |= roleBits[name]
    }
    masks.push(mask)
  }
  return { ...signedIn, admitsSigned, masks }
}

/** The roles that an expression asks a signed-in caller for, in words: `GlobalAdmin or AdminUser`. A signed URL is no role. */
export function roleWords(expression: RoleExpression): string {
  return expression
    .split('|')
    .filter((alternative) => alternative !== 'Signed')
    .map((alternative) => alternative.replaceAll('&', ' and '))
    .join(' or ')
}

/** Whether a caller with these roles passes the rule. What a person's session alone may do is no matter of roles, and passes here for nobody. */
export function allows(rule: RoleRule, roleFlag: number): boolean {
  if (!rule.needsCredential) return true
  if (rule.admitsAgent || rule.isOfPerson) return false
  if (rule.masks.length === 0) return !rule.admitsSigned
  return rule.masks.some((mask) => (roleFlag & mask) === mask)
}

/**
 * What a grant with these roles lacks of the rule, and could be given out of `grantable`: the fewest bits that would do. Undefined where it lacks nothing,
 * or nobody could give it.
 */
export function rolesToGrant(rule: RoleRule, roleFlag: number, grantable: number): number | undefined {
  if (allows(rule, roleFlag)) return undefined
  const lacking = rule.masks.filter((mask) => (mask & ~(roleFlag | grantable)) === 0).map((mask) => mask & ~roleFlag)
  return lacking.toSorted((a, b) => rolesOf(a).length - rolesOf(b).length)[0]
}

/** The names of the bits that are set, in the order of their bits. */
export function rolesOf(roleFlag: number): RoleName[] {
  return roleNames.filter((name) => (roleFlag & roleBits[name]) !== 0)
}

/** The bit mask of these role names. */
export function flagOf(roles: readonly RoleName[]): number {
  return roles.reduce((flag, role) => flag | roleBits[role], 0)
}
