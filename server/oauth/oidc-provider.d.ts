/** What we use of the package, which brings no types. */
declare module 'oidc-provider' {
  import type { IncomingMessage, ServerResponse } from 'node:http'

  export interface Payload {
    [key: string]: unknown
  }

  export interface Adapter {
    upsert(id: string, payload: Payload, expiresIn: number | undefined): Promise<void>
    find(id: string): Promise<Payload | undefined>
    findByUid(uid: string): Promise<undefined>
    findByUserCode(code: string): Promise<undefined>
    consume(id: string): Promise<void>
    destroy(id: string): Promise<void>
    revokeByGrantId(grantId: string): Promise<void>
  }

  export interface Client {
    readonly clientId: string
    readonly clientName?: string
    readonly redirectUris: readonly string[]
    grantTypeAllowed(type: string): boolean
  }

  export interface Interaction {
    readonly uid: string
    readonly returnTo: string
    readonly exp: number
    params: Payload
    result: Payload | undefined
    save(seconds: number): Promise<unknown>
  }

  interface Model {
    readonly prototype: { generateTokenId(): string }
  }

  export interface Context {
    readonly method: string
    readonly path: string
    body: unknown
    status: number
    type: string
    readonly res: ServerResponse
    readonly req: IncomingMessage
    set(name: string, value: string): void
    readonly oidc?: {
      readonly route: string
      readonly params?: Payload
      readonly result?: { readonly consent?: { readonly grantId?: string } }
      readonly provider: Provider
      readonly entities: Payload
    }
  }

  export class Provider {
    constructor(issuer: string, configuration: Payload)
    static readonly ctx: Context | undefined
    proxy: boolean
    silent: boolean
    readonly AccessToken: Model
    readonly RefreshToken: Model
    readonly AuthorizationCode: Model
    readonly Client: { find(id: string): Promise<Client | undefined>; readonly prototype: { redirectUriAllowed(uri: string): boolean } }
    readonly Grant: { find(id: string): Promise<unknown> }
    readonly Interaction: { find(uid: string): Promise<Interaction | undefined> }
    use(middleware: (context: Context, next: () => Promise<void>) => Promise<void>): void
    on(event: string, listener: (context: Context, error: Error) => void): void
    callback(): (request: IncomingMessage, response: ServerResponse) => Promise<void>
  }

  export const errors: Readonly<
    Record<'InvalidClientMetadata' | 'InvalidGrant' | 'InvalidTarget' | 'TemporarilyUnavailable', new (description?: string) => Error>
  >

  export const interactionPolicy: {
    readonly Check: new (reason: string, description: string, error: string, check: (context: Context) => boolean) => unknown
    readonly Prompt: new (named: { name: string; requestable: boolean }, ...checks: unknown[]) => unknown
  }
}
