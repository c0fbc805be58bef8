/** SMS of the installation itself, to persons: through the account that it names, never through a tenant's channel. */
import type { Services } from '#platform/services.ts'
import { guardedDispatcher } from '#platform/outbound.ts'

import { sendByAccount } from './providers/index.ts'

const callMs = 10_000

/**
 * Throws where it was not taken, and where nobody can tell: a code that is sent twice is the same code, so it is tried again while it holds. Does nothing
 * where there is no account.
 */
export async function sendSms(services: Services, message: { readonly to: string; readonly text: string }): Promise<void> {
  const { sms } = services.config
  if (!sms) return
  const { username, password, origin } = new URL(sms.url)
  const account = { accountSid: decodeURIComponent(username), authToken: decodeURIComponent(password), apiBaseUrl: origin, from: sms.from }
  const dispatcher = guardedDispatcher(services.config, { headersMs: callMs })
  try {
    await sendByAccount({ services, dispatcher, callMs }, account, message)
  } finally {
    await dispatcher.close()
  }
}
