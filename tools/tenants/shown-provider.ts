/** A tenant's own provider as it is shown: never with its secret. */
import type { Services } from '#platform/services.ts'
import type { IdentityProvider } from '#tools/auth/provider/provider.schema.ts'
import { callbackUrl, type ProviderRow } from '#tools/auth/service.ts'

export function shownProvider({ config }: Pick<Services, 'config'>, tenantId: number, row: ProviderRow | undefined): IdentityProvider {
  return {
    tenantId,
    issuer: row?.issuer ?? null,
    clientId: row?.clientId ?? null,
    hasClientSecret: row !== undefined && row.sealedSecret !== null,
    scopes: [...(row?.scopes ?? [])],
    isRequired: row?.isRequired ?? false,
    trustsItsSecondFactor: row?.trustsItsSecondFactor ?? false,
    callbackUrl: callbackUrl(config),
    setBy: row?.setBy ?? null,
    setDate: row?.setDate ?? null,
  }
}
