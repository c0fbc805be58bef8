/**
 * Tokens to values. One pass: what a token brings is never read for tokens again, and only own properties are followed, so that neither a record nor a
 * name like `constructor` can reach anything.
 */
import { type Budget, newBudget, spend } from './budget.ts'
import { escapeFor, linkFor } from './escape.ts'
import { applyFilters } from './filters.ts'
import type { Format, Rendering } from './rendering.ts'
import { mayHoldTokens, parseTemplate, printPath, type Segment, soleToken, type Template, type Token } from './template.ts'
import { isLink, isObject, textOf } from './values.ts'

/** By name, `$now` or `WorkOrder`; looked at by own properties alone. */
export type Roots = Readonly<Record<string, unknown>>

/** What resolving has to hand. One budget serves all that is resolved together. */
export interface Resolving {
  readonly roots: Roots
  readonly rendering: Rendering
  readonly budget: Budget
  /** The paths that named nothing, each once. */
  readonly unresolved: Set<string>
}

export function resolving(roots: Roots, rendering: Rendering): Resolving {
  return { roots, rendering, budget: newBudget(), unresolved: new Set() }
}

/** `isKnown` is false where a name on the way is none; a value that is null, and an element past the end of a list, are known and nothing. */
interface Followed {
  readonly value: unknown
  readonly isKnown: boolean
}

const nothing: Followed = { value: null, isKnown: true }
const unknown: Followed = { value: null, isKnown: false }

function own(holder: unknown, name: string): Followed {
  if (holder === null || holder === undefined) return nothing
  if (!isObject(holder) || !Object.hasOwn(holder, name)) return unknown
  return { value: holder[name] ?? null, isKnown: true }
}

function elementOf(list: unknown, index: number | 'first' | 'last'): unknown {
  if (!Array.isArray(list)) return null
  return list.at(index === 'first' ? 0 : index === 'last' ? -1 : index) ?? null
}

function step(holder: unknown, [segment, ...rest]: readonly Segment[], budget: Budget): Followed {
  if (!segment) return { value: holder, isKnown: true }
  const found = own(holder, segment.name)
  if (!found.isKnown) return unknown
  const { index } = segment
  if (index === undefined) return step(found.value, rest, budget)
  if (index !== '*') return step(elementOf(found.value, index), rest, budget)
  if (!Array.isArray(found.value)) return nothing
  spend(budget, found.value.length * 10 * (rest.length + 1))
  const each = found.value.map((one) => step(one, rest, budget))
  return { value: each.flatMap(({ value }) => value), isKnown: each.length === 0 || each.some(({ isKnown }) => isKnown) }
}

/** A token's value after its filters. One that names nothing is null, and told in `unresolved` unless a default stands in for it. */
export function valueOf({ path, filters }: Pick<Token, 'path' | 'filters'>, { roots, rendering, budget, unresolved }: Resolving): Followed {
  spend(budget, 50)
  const { value, isKnown } = step(roots, path, budget)
  const hasDefault = filters.some(({ name }) => name === 'default')
  if (!isKnown && !hasDefault) unresolved.add(printPath(path))
  const names = path.map(({ name }) => name)
  return { value: applyFilters({ value, names }, filters, rendering, budget).value, isKnown: isKnown || hasDefault }
}

/** The text with its tokens' values in it, each made harmless for the kind of text that it stands in. */
export function resolveText({ parts }: Template, at: Resolving, format: Format = 'text'): string {
  let text = ''
  for (const part of parts) {
    if (typeof part === 'string') {
      text += part
      continue
    }
    const { value } = valueOf(part, at)
    const shown = isLink(value) ? linkFor(format, value.url, value.label) : escapeFor(format, textOf(value, at.budget), text)
    // Escaping makes the longest text of what is encoded byte by byte.
    spend(at.budget, shown.length)
    text += shown
  }
  return text
}

/** A text that is exactly one token is that token's value, of its own type; every other is text. */
export function resolveValue(text: string, at: Resolving): unknown {
  if (!mayHoldTokens(text)) return text
  spend(at.budget, 50 + 5 * text.length)
  return resolveTyped(parseTemplate(text), at)
}

/** As `resolveValue`, of a text that was read before. */
export function resolveTyped(template: Template, at: Resolving): unknown {
  const token = soleToken(template)
  if (!token) return resolveText(template, at)
  const { value } = valueOf(token, at)
  // It is not copied here, but whoever writes it out copies it as often as it is named.
  if (typeof value === 'string') spend(at.budget, value.length)
  return isLink(value) ? value.url : value
}
