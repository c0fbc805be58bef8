/** Which option a value of a Choice or a Hierarchy means. */
import { nearest, quoted } from '#platform/suggest.ts'

export interface NamedOption {
  readonly optionId: number
  readonly internalName: string
  /** Display names, in whatever languages it has them. */
  readonly names?: readonly string[]
}

export interface OptionRules {
  readonly options: readonly NamedOption[]
  /** The options that are allowed; null: all. */
  readonly optionFilter: ReadonlySet<number> | null
  /** Filters go by internalNames alone: a display name may come to mean another option. */
  readonly isByInternalName?: boolean
}

interface OptionIndex {
  readonly byName: ReadonlyMap<string, number>
  readonly byDisplay: ReadonlyMap<string, readonly NamedOption[]>
}

const indexes = new WeakMap<readonly NamedOption[], OptionIndex>()

/** A display name as people compare it. */
function plain(name: string): string {
  return name.normalize('NFC').trim().toLowerCase()
}

function indexOf(options: readonly NamedOption[]): OptionIndex {
  let index = indexes.get(options)
  if (!index) {
    const byDisplay = new Map<string, NamedOption[]>()
    for (const option of options) {
      for (const name of new Set(option.names?.map(plain))) {
        const namesakes = byDisplay.get(name)
        if (namesakes) namesakes.push(option)
        else byDisplay.set(name, [option])
      }
    }
    index = { byName: new Map(options.map((option) => [option.internalName.toLowerCase(), option.optionId])), byDisplay }
    indexes.set(options, index)
  }
  return index
}

const shownOptions = 40

function listed(names: readonly string[]): string {
  return `${names.slice(0, shownOptions).join(', ')}${names.length > shownOptions ? ', …' : ''}`
}

/** The option of this internalName, else the one allowed option that has it as a display name. */
export function readOption(
  rules: OptionRules,
  raw: unknown,
): { readonly value: number } | { readonly problem: string; readonly suggestion?: string | undefined } {
  if (typeof raw !== 'string') return { problem: `Expected the internalName of an option, got ${quoted(raw)}.` }
  const { options, optionFilter } = rules
  const isAllowed = (optionId: number) => optionFilter === null || optionFilter.has(optionId)
  const { byName, byDisplay } = indexOf(options)
  const own = byName.get(raw.toLowerCase())
  if (own !== undefined && isAllowed(own)) return { value: own }
  const isShown = own === undefined && rules.isByInternalName !== true
  const [first, ...others] = isShown ? (byDisplay.get(plain(raw)) ?? []).filter((option) => isAllowed(option.optionId)) : []
  if (first && others.length === 0) return { value: first.optionId }
  if (first) {
    const candidates = [first, ...others].map((option) => option.internalName)
    return { problem: `${quoted(raw)} is what several options are called: ${listed(candidates)}. Send the internalName of one.` }
  }
  const allowed = options.filter((option) => isAllowed(option.optionId)).map((option) => option.internalName)
  return { problem: `${quoted(raw)} is no option. Allowed: ${listed(allowed)}.`, suggestion: nearest(raw, allowed) }
}
