/** The carriers of all providers, by the provider's name. */
import type { ProviderName } from '#tools/messaging/providers/index.ts'

import { type Carrier, forAnyWay } from './carrier.ts'
import { sandbox } from './sandbox.ts'
import { slack } from './slack.ts'
import { smtp } from './smtp.ts'
import { teams } from './teams.ts'
import { telegram } from './telegram.ts'
import { sendByAccount, twilio } from './twilio.ts'
import { webPush } from './web-push.ts'

const carriers: Readonly<Record<ProviderName, Carrier>> = {
  twilio: forAnyWay(twilio),
  smtp: forAnyWay(smtp),
  telegram: forAnyWay(telegram),
  slack: forAnyWay(slack),
  teams: forAnyWay(teams),
  webPush: forAnyWay(webPush),
  sandbox: forAnyWay(sandbox),
}

export { sendByAccount }

export function carrierOf(provider: string): Carrier {
  const carrier = Object.hasOwn(carriers, provider) ? carriers[provider as ProviderName] : undefined
  if (!carrier) throw new Error(`Nothing here carries messages through ${provider}`)
  return carrier
}
