/** Settings and secrets of a channel, held against what its provider takes. */
import { AppError, type Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { parseInput } from '#platform/issues.ts'
import { assertAllowedHost } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'

import type { Provider } from '../providers/provider.ts'
import type { VendorChannel } from './channels.schema.ts'
import type { ChannelRow } from './channels.store.ts'
import type { ChannelSecrets } from './secrets.ts'

const under = (field: string, found: readonly Issue[]) => found.map((issue) => ({ ...issue, path: issue.path.replace('$', `$.${field}`) }))

/** Finds what is wrong with how a channel is set up, all at once; throws AppError `invalid_input`, or `unprocessable` for an address that may not be called. */
export function checkChannel(
  services: Services,
  provider: Provider,
  made: { readonly channel: VendorChannel; readonly settings: unknown; readonly secrets: unknown },
): { settings: ChannelRow['settings']; secrets: ChannelSecrets } {
  const { channel } = made
  const issues: Issue[] = []
  if (!provider.carries.includes(channel)) {
    issues.push(finding('$.provider', `${provider.name} carries ${provider.carries.join(' and ')}, not ${channel}.`))
  }
  const settings = parseInput(provider.settings, made.settings)
  const secrets = parseInput(provider.secrets, made.secrets)
  if (!settings.isOk) issues.push(...under('settings', settings.issues))
  if (!secrets.isOk) issues.push(...under('secrets', secrets.issues))
  if (settings.isOk && secrets.isOk && issues.length === 0) issues.push(...under('settings', provider.findIssues(channel, settings.value)))
  if (!settings.isOk || !secrets.isOk || issues.length > 0)
    throw new AppError('invalid_input', 'The channel cannot be set up like this.', { issues })
  const target = provider.goesTo(settings.value)
  if (target) assertAllowedHost(services.config, target.host)
  // Both have just passed schemas whose values are texts, numbers and booleans.
  return { settings: settings.value as ChannelRow['settings'], secrets: secrets.value as ChannelSecrets }
}

/**
 * What is missing where a channel is pointed at another host: the secrets that would go there. Whoever may change a channel could otherwise have
 * them sent to a host of their own, and so read what is never shown.
 */
export function findMissingSecrets(
  provider: Provider,
  old: Pick<ChannelRow, 'settings' | 'secretNames'>,
  settings: ChannelRow['settings'],
  given: Readonly<Record<string, unknown>>,
): Issue[] {
  if (provider.goesTo(old.settings)?.origin === provider.goesTo(settings)?.origin) return []
  return old.secretNames
    .filter((name) => !provider.stayingSecrets.includes(name) && given[name] === undefined)
    .map((name) =>
      finding(
        `$.secrets.${name}`,
        'The channel would send this secret to another host than it was given for. Give it again, or null to remove it.',
      ),
    )
}
