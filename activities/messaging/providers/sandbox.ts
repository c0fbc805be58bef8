/** Nothing leaves the house: a message is in its handset as soon as it is sent, unless the handset was told to fail or to delay the next one. */
import type { SandboxWay } from '#tools/messaging/providers/sandbox.ts'
import { takeHandsetPlan } from '#tools/messaging/service.ts'

import type { Carrier } from './carrier.ts'

export const sandbox: Carrier<SandboxWay> = {
  async send({ services }, { tenantId, to, via }) {
    const plan = await takeHandsetPlan(services, tenantId, { channelId: via.channelId, address: to })
    switch (plan?.does) {
      case 'fail':
        return { kind: 'refused', reason: plan.reason ?? 'refused' }
      case 'delay':
        return { kind: 'notSent', detail: 'delayed by the handset', afterMs: (plan.seconds ?? 1) * 1_000 }
      case undefined:
        return { kind: 'sent', providerId: via.providerId }
    }
  },
  // What was not written down as sent is in no handset.
  lookUp: () => Promise.resolve({ kind: 'notSent', detail: 'not in the handset' }),
}
