/** What caused an event causes the runs that it starts. */
import type { Origin } from '#platform/shapes/origin.ts'

import type { FiredEvent } from './triggers.types.ts'

export function originOf({ originKind, originId, depth }: Pick<FiredEvent, 'originKind' | 'originId' | 'depth'>): Origin {
  // The log holds kinds of origins alone.
  return { kind: originKind as Origin['kind'], ...(originId === null ? {} : { id: originId }), depth }
}
