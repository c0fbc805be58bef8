/**
 * Who may stay connected. The places are few, since each may hold a mail in memory; so whoever is silent longest gives its place to the next, first among those
 * of the address that has most.
 */

export interface Seats {
  /** A place for this connection. False where every one that could be freed is taking or storing a mail. */
  take(id: string, address: string): boolean
  /** It said something. */
  touch(id: string): void
  /** It sends a mail, or waits for us to store it: until `touch` nobody takes its place. */
  occupy(id: string): void
  leave(id: string): void
}

interface Seat {
  readonly address: string
  at: number
  isOccupied: boolean
}

/** `letGo` ends a connection whose place is needed. */
export function createSeats(options: { readonly seats: number; readonly ofAddress: number; readonly letGo: (id: string) => void }): Seats {
  const seats = new Map<string, Seat>()

  function freeOne(among: (seat: Seat) => boolean): boolean {
    const perAddress = new Map<string, number>()
    for (const { address } of seats.values()) perAddress.set(address, (perAddress.get(address) ?? 0) + 1)
    const most = (seat: Seat) => perAddress.get(seat.address) ?? 0
    const [silent] = [...seats]
      .filter(([, seat]) => !seat.isOccupied && among(seat))
      .toSorted(([, one], [, other]) => most(other) - most(one) || one.at - other.at)
    if (!silent) return false
    seats.delete(silent[0])
    options.letGo(silent[0])
    return true
  }

  return {
    take(id, address) {
      const own = [...seats.values()].filter((seat) => seat.address === address).length
      const isRoom =
        own >= options.ofAddress ? freeOne((seat) => seat.address === address) : seats.size < options.seats || freeOne(() => true)
      if (isRoom) seats.set(id, { address, at: performance.now(), isOccupied: false })
      return isRoom
    },
    touch(id) {
      const seat = seats.get(id)
      if (seat) Object.assign(seat, { at: performance.now(), isOccupied: false })
    },
    occupy(id) {
      const seat = seats.get(id)
      if (seat) seat.isOccupied = true
    },
    leave: (id) => void seats.delete(id),
  }
}

/** Neighbours of one network count as one: a single host has as many addresses of IPv6 as it likes. */
export function networkOf(address: string): string {
  return address.includes(':') ? address.split(':').slice(0, 4).join(':') : address
}
