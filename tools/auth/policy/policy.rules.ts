/** Whether what a person showed is what a tenant asks for, and what comes next where it is not. */
import type { PolicyChannel } from './policy.schema.ts'

/** Of a tenant that demands a second factor of this person: the channels that count; null: every one. */
export interface FactorDemand {
  readonly factors: readonly PolicyChannel[] | null
}

export const isCounted = ({ factors }: FactorDemand, channel: string): boolean =>
  factors === null || factors.some((counted) => counted === channel)

export interface Shown {
  /** What was shown beside the password in this sign-in; null: nothing. */
  readonly factor: string | null
  /** Of the factors that the person has. */
  readonly channels: readonly string[]
}

/**
 * What a person has to do before a session in that tenant begins. Whoever has a factor shows one before another is enrolled: else a password that was
 * stolen would be enough to add one. A recovery code stands in for a factor that counts, and for no other.
 */
export function nextFor(demand: FactorDemand | undefined, { factor, channels }: Shown): 'session' | 'secondFactor' | 'enrolSecondFactor' {
  if (!demand) return 'session'
  const hasOne = channels.some((channel) => isCounted(demand, channel))
  if (factor !== null && (factor === 'recovery' ? hasOne : isCounted(demand, factor))) return 'session'
  if (hasOne || (factor === null && channels.length > 0)) return 'secondFactor'
  return 'enrolSecondFactor'
}

/** Whether the factors that are left satisfy every tenant that demands one. */
export function findUnmet<D extends FactorDemand>(demands: readonly D[], left: readonly string[]): D | undefined {
  return demands.find((demand) => !left.some((channel) => isCounted(demand, channel)))
}
