/** Settings and secrets of a channel, held against what its provider takes. */
import { AppError, type Issue } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { parseInput } from '#platform/issues.ts'
import { assertAllowedHost } from '#platform/outbound.ts'
import type { Services } from '#platform/services.ts'

import { type Provider, providerSecrets, providerSettings, type VendorChannel } from './channels.schema.ts'
import type { ChannelRow } from './channels.store.ts'
import { asPhone } from '../conversations/addresses.ts'
import type { ChannelSecrets } from './secrets.ts'

const channelsOf: Readonly<Record<Provider, readonly VendorChannel[]>> = { twilio: ['sms', 'whatsapp'], smtp: ['email'] }

/** A phone number with its country; by SMS also a short code, or a name, which has a letter: a number without its country is neither. */
function isTwilioSender(channel: VendorChannel, from: string): boolean {
  return asPhone(from) !== undefined || (channel === 'sms' && /^(?:\d{3,8}|(?=.*[A-Za-z])[A-Za-z0-9 ]{3,11})$/.test(from))
}

/** Finds what is wrong with how a channel is set up, all at once; throws AppError `invalid_input`, or `unprocessable` for an address that may not be called. */
export function checkChannel(
  services: Services,
  made: { readonly channel: VendorChannel; readonly provider: Provider; readonly settings: unknown; readonly secrets: unknown },
): { settings: ChannelRow['settings']; secrets: ChannelSecrets } {
  const { channel, provider } = made
  const issues: Issue[] = []
  if (!channelsOf[provider].includes(channel)) {
    issues.push(finding('$.provider', `${provider} carries ${channelsOf[provider].join(' and ')}, not ${channel}.`))
  }
  const under = (field: string, found: readonly Issue[]) =>
    found.map((issue) => ({ ...issue, path: issue.path.replace('$', `$.${field}`) }))
  const settings = parseInput(providerSettings[provider], made.settings)
  const secrets = parseInput(providerSecrets[provider], made.secrets)
  if (!settings.isOk) issues.push(...under('settings', settings.issues))
  if (!secrets.isOk) issues.push(...under('secrets', secrets.issues))
  if (!settings.isOk || !secrets.isOk || issues.length > 0)
    throw new AppError('invalid_input', 'The channel cannot be set up like this.', { issues })
  // Both have just passed schemas whose values are texts, numbers and booleans.
  const checked = { settings: settings.value as ChannelRow['settings'], secrets: secrets.value as ChannelSecrets }
  const { from, apiBaseUrl, host } = checked.settings
  if (provider === 'twilio' && typeof from === 'string' && !isTwilioSender(channel, from)) {
    const message =
      channel === 'sms' ? 'Neither a phone number with its country nor a sender name or short code.' : 'No phone number with its country.'
    issues.push(finding('$.settings.from', message))
    throw new AppError('invalid_input', 'The channel cannot be set up like this.', { issues })
  }
  if (typeof apiBaseUrl === 'string') assertAllowedHost(services.config, new URL(apiBaseUrl).hostname)
  if (typeof host === 'string') assertAllowedHost(services.config, host)
  return checked
}

/**
 * What is missing where a channel is pointed at another host: the secrets that would go there. Whoever may change a channel could otherwise have
 * them sent to a host of their own, and so read what is never shown.
 */
export function findMissingSecrets(
  old: Pick<ChannelRow, 'settings' | 'secretNames'>,
  settings: ChannelRow['settings'],
  given: Readonly<Record<string, unknown>>,
): Issue[] {
  const hostOf = ({ host, apiBaseUrl }: ChannelRow['settings']) =>
    typeof apiBaseUrl === 'string' ? new URL(apiBaseUrl).origin : typeof host === 'string' ? host.toLowerCase() : ''
  if (hostOf(old.settings) === hostOf(settings)) return []
  return old.secretNames
    .filter((name) => name !== 'webhookSecret' && given[name] === undefined)
    .map((name) =>
      finding(
        `$.secrets.${name}`,
        'The channel would send this secret to another host than it was given for. Give it again, or null to remove it.',
      ),
    )
}
