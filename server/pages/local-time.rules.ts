/** Times as people type them, in their own zone. */

let last: { readonly zone: string; readonly format: Intl.DateTimeFormat } | undefined

/** That of the last zone is kept: the times of one page are all of one zone, and making it takes far longer than using it. */
function formatOf(zone: string): Intl.DateTimeFormat {
  if (last?.zone !== zone) {
    const format = new Intl.DateTimeFormat('en-CA', {
      timeZone: zone,
      hourCycle: 'h23',
      year: 'numeric',
      month: '2-digit',
      day: '2-digit',
      hour: '2-digit',
      minute: '2-digit',
      second: '2-digit',
    })
    last = { zone, format }
  }
  return last.format
}

/** The zone, where it is one that is known here. */
export function knownZone(zone: string | null | undefined): string | undefined {
  if (zone === null || zone === undefined || zone.length > 64) return undefined
  try {
    formatOf(zone)
    return zone
  } catch {
    return undefined
  }
}

function wallClock(at: number, zone: string): string {
  const found = new Map<string, string>(
    formatOf(zone)
      .formatToParts(at)
      .map(({ type, value }) => [type, value]),
  )
  const get = (type: string) => found.get(type) ?? '00'
  return `${get('year').padStart(4, '0')}-${get('month')}-${get('day')}T${get('hour')}:${get('minute')}:${get('second')}`
}

/** An instant as the value of a control of date and time: `2026-11-22T09:30`. */
export function toLocal(iso: string, zone: string): string {
  const at = Date.parse(iso)
  return Number.isNaN(at) ? '' : wallClock(at, zone).slice(0, 16)
}

/** The instant that a wall clock of the zone shows. Where it shows it twice, the first; where it skips it, the time after the gap. */
export function fromLocal(local: string, zone: string): string | undefined {
  const found = /^(\d{4}-\d\d-\d\d)[T ](\d\d:\d\d)(?::(\d\d))?(?:\.\d+)?$/.exec(local.trim())
  if (!found) return undefined
  const [, day = '', time = '', seconds = '00'] = found
  const wanted = Date.parse(`${day}T${time}:${seconds}Z`)
  if (Number.isNaN(wanted)) return undefined
  const offset = (at: number) => Date.parse(`${wallClock(at, zone)}Z`) - at
  // The offsets before and after any change nearby.
  const tries = [offset(wanted - 86_400_000), offset(wanted + 86_400_000)].map((shift) => wanted - shift).sort((a, b) => a - b)
  const exact = tries.find((at) => Date.parse(`${wallClock(at, zone)}Z`) === wanted)
  const at = exact ?? tries[1] ?? wanted
  return new Date(at).toISOString()
}
