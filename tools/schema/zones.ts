/** Time zones as they are now: offsets and abbreviations come from PostgreSQL, read again every few minutes. */
import { kept } from '#platform/kept.ts'
import type { TxContext } from '#platform/operation.ts'

import type { TimeZone } from './schema.schema.ts'
import { readZones, type ZoneRow } from './schema.store.ts'
import { knownZones, zoneOf } from './time-zones.ts'

const keptMs = 5 * 60_000

const seenZones = kept(() => ({ zones: new Map<string, ZoneRow>(), until: 0 }))

async function zonesNow(context: TxContext): Promise<ReadonlyMap<string, ZoneRow>> {
  const seen = seenZones(context.services)
  if (seen.until > Date.now()) return seen.zones
  seen.zones = new Map((await readZones(context.tx)).map((zone) => [zone.name, zone]))
  // Daylight saving changes at a quarter of an hour; nothing is kept across one.
  seen.until = Math.min(Date.now() + keptMs, Math.ceil((Date.now() + 1) / (15 * 60_000)) * 15 * 60_000)
  return seen.zones
}

function shown(zone: { timeZoneId: number; timeZoneIana: string }, row: ZoneRow): TimeZone {
  const { timeZoneAbbrev, currentOffsetMinutes, standardOffsetMinutes } = row
  return { ...zone, timeZoneAbbrev, standardOffsetMinutes, currentOffsetMinutes }
}

/** Every listed zone that the database knows. */
export async function listZones(context: TxContext): Promise<TimeZone[]> {
  const now = await zonesNow(context)
  return knownZones.flatMap((zone) => {
    const row = now.get(zone.timeZoneIana)
    return row ? [shown(zone, row)] : []
  })
}

/** The zone of a user, who may have an alias of a listed one. */
export async function currentZone(context: TxContext, timeZoneIana: string): Promise<TimeZone> {
  const now = await zonesNow(context)
  const zone = zoneOf(timeZoneIana)
  const row = now.get(zone.timeZoneIana)
  return row
    ? shown(zone, row)
    : { timeZoneId: 1, timeZoneIana: 'UTC', timeZoneAbbrev: 'UTC', standardOffsetMinutes: 0, currentOffsetMinutes: 0 }
}
