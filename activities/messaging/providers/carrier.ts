/** What carries messages to a vendor: the half of a provider that makes calls. */
import type { Dispatcher } from 'undici'

import type { Services } from '#platform/services.ts'
import type { FileToBring, Order, Outcome } from '#tools/messaging/service.ts'
import type { Way } from '#tools/messaging/providers/provider.ts'

export interface CarrierParts {
  readonly services: Services
  readonly dispatcher: Dispatcher
  /** Hard limit of one call. */
  readonly callMs: number
}

export interface Carrier<W extends Way = Way> {
  /** One call that sends; the order has been claimed. */
  send(parts: CarrierParts, order: Order<W>): Promise<Outcome>
  /**
   * Whether an earlier call of this order went through. `rivals`: how many other messages to the same address with the same words are in the same doubt.
   * Throws where the vendor cannot be asked now.
   */
  lookUp(parts: CarrierParts, order: Order<W>, rivals: number): Promise<Outcome>
  /**
   * Brings a file to where the person let it go, then shows it; `uploaded` is told once it lies there. False where it will never lie there. Throws where it may
   * be tried again.
   */
  bring?(parts: CarrierParts, file: FileToBring, via: W, uploaded: () => Promise<void>): Promise<boolean>
}

/** A carrier as the list of all holds it. The list goes by the name that the way says, so that a carrier gets the ways of its own provider alone. */
export function forAnyWay<W extends Way>(carrier: Carrier<W>): Carrier {
  return {
    send: (parts, order) => carrier.send(parts, order as Order<W>),
    lookUp: (parts, order, rivals) => carrier.lookUp(parts, order as Order<W>, rivals),
    bring: async (parts, file, via, uploaded) => (await carrier.bring?.(parts, file, via as W, uploaded)) ?? false,
  }
}
