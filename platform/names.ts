/** Names that people give to definitions, and the slots that take an id or such a name. */
import { z } from 'zod'

import { reservedNames } from './reserved-names.ts'

export type NamedKind = keyof typeof reservedNames

export const namePattern = /^[A-Za-z][A-Za-z0-9_]{0,63}$/
const rule = 'Starts with a letter, then letters, digits and underscores, at most 64 in all'

/** The internalName that a definition gets. `kind` keeps it off the words that stand in its place in a path. */
export function newName(kind?: NamedKind) {
  const reserved: readonly string[] = kind ? reservedNames[kind] : []
  return z
    .string()
    .regex(namePattern, rule)
    .refine((name) => !reserved.includes(name.toLowerCase()), {
      error: (issue) => `"${String(issue.input)}" is a word of the paths; choose another name`,
    })
}

/** A name that is allowed, made of what somebody would call it: "In progress" is InProgress. Undefined where nothing allowed is left. */
export function nameOf(text: string): string | undefined {
  const [first = '', ...rest] = text
    .normalize('NFKD')
    .replaceAll(/\p{M}/gu, '')
    .replaceAll('ß', 'ss')
    .split(/[^A-Za-z0-9_]+/)
    .filter(Boolean)
  const name = `${first}${rest.map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join('')}`
  return namePattern.test(name) ? name : undefined
}

/** An id, or an internalName without regard to case. */
export const idOrName = z.union([z.int().min(1), z.string().min(1).max(200)])
export type IdOrName = z.output<typeof idOrName>

/** Ids of definitions are 32-bit; a larger one in a body is a finding, not an overflow in the database. */
export const definitionId = z.int().min(1).max(2_147_483_647)

/** What a slot names: digits alone are an id, since no name is all digits. */
export function readIdOrName(value: IdOrName): { readonly id: number; readonly name: null } | { readonly id: null; readonly name: string } {
  if (typeof value === 'number') return { id: value, name: null }
  return /^\d{1,15}$/.test(value) ? { id: Number(value), name: null } : { id: null, name: value }
}
