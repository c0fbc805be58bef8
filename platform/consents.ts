/** What the authorization server and the page of consent say to each other. */
import type { Actor } from './operation.ts'
import type { Resource } from './resources.ts'

/** The cookie that ties an authorization to the browser that began it. */
export const consentCookie = 'DevPortal.Consent'

export interface Consent {
  readonly uid: string
  readonly client: {
    readonly id: string
    readonly name: string
    /** Null: it registered itself, and is whoever it says. */
    readonly idHost: string | null
    readonly redirectHost: string
    readonly isLoopback: boolean
  }
  /** Where the browser will be led, for the page's permission to. */
  readonly redirectSource: string
  readonly resource: Resource
  /** Bits of the roles that were asked for. */
  readonly askedRoles: number
  /** Whether the page is to be shown even where all was given before. */
  readonly mustShow: boolean
}

export interface Consents {
  /** Undefined where it is over, or another browser's: `cookie` is the value of the cookie that it was begun with. */
  find(uid: string, cookie: string | undefined): Promise<Consent | undefined>
  /** Whether the person gave all that is asked for before, so that the page need not be shown. Answers the roles to give. */
  givenBefore(consent: Consent, session: Actor): Promise<number | undefined>
  letsAppsIn(tenantId: number): Promise<boolean>
  /** Bits of the roles that the person could give, and of those that are ticked before they look. */
  offer(consent: Consent, session: Actor): { readonly givable: number; readonly ticked: number }
  /** Answers where the browser goes. Throws AppError `fresh_proof_required`, `forbidden`. */
  give(
    consent: Consent,
    session: Actor,
    roleFlag: number,
    told: { readonly requestId: string; readonly ip: string | undefined },
  ): Promise<string>
  refuse(consent: Consent): Promise<string>
}
