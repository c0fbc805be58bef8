/** All providers: the one list that names them, beside that of their activities. */
import { AppError } from '#platform/errors.ts'
import { quoted } from '#platform/suggest.ts'

import type { VendorChannel } from '../channels/channels.schema.ts'
import type { Provider } from './provider.ts'
import { sandbox } from './sandbox.ts'
import { slack } from './slack.ts'
import { smtp } from './smtp.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { twilio } from './twilio.ts'
import { webPush } from './web-push.ts'

const all = [twilio, smtp, telegram, slack, teams, webPush, sandbox] as const

export type ProviderName = (typeof all)[number]['name']

export const providers: readonly Provider<ProviderName>[] = all

export const providerNames = all.map(({ name }) => name)

const byName: ReadonlyMap<string, Provider<ProviderName>> = new Map(providers.map((one) => [one.name, one]))

/** Undefined for a name that only another version of the product knows. */
export function findProvider(name: string): Provider<ProviderName> | undefined {
  return byName.get(name)
}

/** Throws AppError `conflict` for such a name. */
export function mustProvide(name: string): Provider<ProviderName> {
  const provider = byName.get(name)
  if (provider) return provider
  throw new AppError('conflict', `This installation has no provider ${quoted(name)}. Delete the channel, or run the version that made it.`)
}

/** Those that carry a kind of channel. */
export function providersOf(channel: VendorChannel): readonly Provider<ProviderName>[] {
  return providers.filter(({ carries }) => carries.includes(channel))
}
