/** The one check of property values: from the wire to the form that is stored, hashed and compared. */
import { longestTextFor, type PatternMatcher } from '#platform/patterns.ts'
import { quoted } from '#platform/suggest.ts'

import { type OptionRules, readOption } from './option-values.rules.ts'
import { type DataType, maxTextLength } from './properties.schema.ts'

export const maxListLength = 1_000

/** What a value is held against. */
export interface ValueRules extends OptionRules {
  readonly dataType: DataType
  readonly isList: boolean
  readonly minValueOrLength: number | null
  readonly maxValueOrLength: number | null
  readonly maxDecimalPlaces: number | null
  readonly regEx: string | null
}

/** Canonical: number, boolean, NFC text, ISO time in UTC with milliseconds, option id, lower-case asset key; an array of these for a list. */
export type Scalar = string | number | boolean
export type Value = Scalar | readonly Scalar[] | null

/** The files that a property's value names. */
export function assetKeysOf(value: Value | undefined): string[] {
  if (value === null || value === undefined) return []
  return typeof value === 'object' ? value.map(String) : [String(value)]
}

export type Checked = { readonly value: Value } | { readonly problem: string; readonly suggestion?: string | undefined }

const dateTime = /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?(Z|z|[+-]\d\d:?\d\d)?$/

/** Most times arrive as they are kept; the year 0000 is none. */
const canonicalForm = /^(?!0000)\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/
const dateForm = /^\d{4}-\d\d-\d\d$/

const monthDays = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

function isRealDate(year: number, month: number, day: number): boolean {
  const isLeap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0)
  return day >= 1 && day <= (month === 2 && isLeap ? 29 : (monthDays[month - 1] ?? 0))
}

/** The number that `count` digits from `at` on make up. */
function digitsAt(text: string, at: number, count: number): number {
  let value = 0
  for (let i = at; i < at + count; i++) value = value * 10 + text.charCodeAt(i) - 48
  return value
}

/** Whether YYYY-MM-DD at the beginning of the text is a day that exists. */
function startsWithRealDate(text: string): boolean {
  const year = digitsAt(text, 0, 4)
  return year > 0 && isRealDate(year, digitsAt(text, 5, 2), digitsAt(text, 8, 2))
}

/** ISO 8601 to UTC with milliseconds (the rest is cut); without an offset it is UTC already. Undefined for a time that does not exist. */
export function canonicalDateTime(text: string): string | undefined {
  if (canonicalForm.test(text)) {
    const exists = startsWithRealDate(text) && digitsAt(text, 11, 2) < 24 && digitsAt(text, 14, 2) < 60 && digitsAt(text, 17, 2) < 60
    return exists ? text : undefined
  }
  const match = dateTime.exec(text)
  if (!match) return undefined
  const [, year = '', month = '', day = '', hour = '', minute = '', second = '00', fraction = '', zone = 'Z'] = match
  const isReal =
    isRealDate(Number(year), Number(month), Number(day)) &&
    Number(hour) < 24 &&
    Number(minute) < 60 &&
    Number(second) < 60 &&
    Number(year) > 0
  if (!isReal) return undefined
  const offset = /^[zZ]$/.test(zone) ? 0 : (zone.startsWith('-') ? -1 : 1) * (Number(zone.slice(1, 3)) * 60 + Number(zone.slice(-2)))
  if (Math.abs(offset) > 14 * 60) return undefined
  // Not Date.UTC, which reads years below 100 as of the twentieth century.
  const at = new Date(0)
  at.setUTCFullYear(Number(year), Number(month) - 1, Number(day))
  at.setUTCHours(Number(hour), Number(minute) - offset, Number(second), Number(fraction.padEnd(3, '0').slice(0, 3)))
  const inUtc = at.toISOString()
  // An offset may lead out of the years that four digits tell.
  return canonicalForm.test(inUtc) ? inUtc : undefined
}

function canonicalDate(text: string): string | undefined {
  return dateForm.test(text) && startsWithRealDate(text) ? text : undefined
}

function canonicalTime(text: string): string | undefined {
  const match = /^(\d\d):(\d\d)(?::(\d\d))?$/.exec(text)
  return match && Number(match[1]) < 24 && Number(match[2]) < 60 && Number(match[3] ?? 0) < 60
    ? `${match[1]}:${match[2]}:${match[3] ?? '00'}`
    : undefined
}

function decimalsOf(value: number): number {
  const text = String(value)
  const [mantissa = '', exponent = '0'] = text.split('e')
  return Math.max(0, (mantissa.split('.')[1]?.length ?? 0) - Number(exponent))
}

function checkNumber(property: ValueRules, raw: unknown): Checked {
  if (typeof raw !== 'number' || !Number.isFinite(raw)) return { problem: `Expected a number, got ${quoted(raw)}.` }
  const value = raw === 0 ? 0 : raw
  if (property.dataType === 'Currency' && (Math.abs(value) >= 1e15 || Number(value.toPrecision(15)) !== value)) {
    return { problem: `A Currency has at most 15 digits, got ${value}.` }
  }
  if (property.maxDecimalPlaces !== null && decimalsOf(value) > property.maxDecimalPlaces) {
    return { problem: `At most ${property.maxDecimalPlaces} decimal places, got ${value}.` }
  }
  if (property.minValueOrLength !== null && value < property.minValueOrLength)
    return { problem: `At least ${property.minValueOrLength}, got ${value}.` }
  if (property.maxValueOrLength !== null && value > property.maxValueOrLength)
    return { problem: `At most ${property.maxValueOrLength}, got ${value}.` }
  return { value }
}

const beyondAscii = /[^\0-\x7F]/

/** Whether a text has more than `limit` characters, which are code points, as PostgreSQL and JSON Schema count them. */
export function isLongerThan(text: string, limit: number): boolean {
  // A character takes one UTF-16 unit or two, so that only what lies between needs counting.
  return text.length > 2 * limit || (text.length > limit && Array.from(text).length > limit)
}

function checkText(property: ValueRules, raw: unknown, patterns: PatternMatcher): Checked {
  if (typeof raw !== 'string') return { problem: `Expected text, got ${quoted(raw)}.` }
  // ASCII is its own normal form and well formed.
  const value = beyondAscii.test(raw) ? raw.normalize('NFC') : raw
  if (value.includes('\u0000') || !value.isWellFormed()) return { problem: 'The text holds a NUL or half of a surrogate pair. Remove it.' }
  if (isLongerThan(value, maxTextLength)) return { problem: `At most ${maxTextLength} characters; store longer text as an asset.` }
  // Counted only where it matters: characters, not UTF-16 units.
  const length = property.minValueOrLength === null && property.maxValueOrLength === null ? 0 : Array.from(value).length
  if (property.minValueOrLength !== null && length < property.minValueOrLength)
    return { problem: `At least ${property.minValueOrLength} characters, got ${length}.` }
  if (property.maxValueOrLength !== null && length > property.maxValueOrLength)
    return { problem: `At most ${property.maxValueOrLength} characters, got ${length}.` }
  return property.regEx === null ? { value } : checkPattern(property.regEx, value, patterns)
}

function checkPattern(regEx: string, value: string, patterns: PatternMatcher): Checked {
  switch (patterns.matches(regEx, value)) {
    case false:
      return { problem: `${quoted(value)} does not match the pattern ${quoted(regEx, 200)}.` }
    case 'tooLong':
      return {
        problem: `The text has ${value.length} characters; at most ${longestTextFor(regEx)} can be held against the pattern ${quoted(regEx, 200)}.`,
      }
    case 'tooMuch':
      return { problem: 'The texts of this call take too long to hold against their patterns. Send fewer rows at a time.' }
    case true:
    // Not known yet: whoever reads the row asks again.
    case undefined:
      return { value }
  }
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i

function checkScalar(property: ValueRules, raw: unknown, patterns: PatternMatcher): Checked {
  switch (property.dataType) {
    case 'Number':
    case 'Currency':
      return checkNumber(property, raw)
    case 'Text':
      return checkText(property, raw, patterns)
    case 'Boolean':
      return typeof raw === 'boolean' ? { value: raw } : { problem: `Expected true or false, got ${quoted(raw)}.` }
    case 'DateTime': {
      const value = typeof raw === 'string' ? canonicalDateTime(raw) : undefined
      return value === undefined ? { problem: `Expected an ISO 8601 time such as 2026-03-01T08:30:00Z, got ${quoted(raw)}.` } : { value }
    }
    case 'DateOnly': {
      const value = typeof raw === 'string' ? canonicalDate(raw) : undefined
      return value === undefined ? { problem: `Expected a date that exists, as YYYY-MM-DD, got ${quoted(raw)}.` } : { value }
    }
    case 'TimeOnly': {
      const value = typeof raw === 'string' ? canonicalTime(raw) : undefined
      return value === undefined ? { problem: `Expected a time as HH:MM or HH:MM:SS, got ${quoted(raw)}.` } : { value }
    }
    case 'Choice':
    case 'Hierarchy':
      return readOption(property, raw)
    case 'Attachment':
    case 'Signature':
    case 'Binary':
      return typeof raw === 'string' && uuid.test(raw)
        ? { value: raw.toLowerCase() }
        : { problem: `Expected an assetKey, got ${quoted(raw)}. Upload the file first with create_upload_url or upload_asset.` }
  }
}

/**
 * Checks one value of a property. `null` clears; an empty list is the same as none. What `patterns` hold back counts as a match until they are settled and
 * the value is checked again.
 */
export function checkValue(property: ValueRules, raw: unknown, patterns: PatternMatcher): Checked {
  if (raw === null) return { value: null }
  if (!property.isList) return Array.isArray(raw) ? { problem: 'Expected one value, got a list.' } : checkScalar(property, raw, patterns)
  if (!Array.isArray(raw)) return { problem: `Expected a list, got ${quoted(raw)}.` }
  if (raw.length > maxListLength) return { problem: `At most ${maxListLength} values in a list, got ${raw.length}.` }
  const values: Scalar[] = []
  for (const [index, element] of raw.entries()) {
    const checked = checkScalar(property, element, patterns)
    if ('problem' in checked) return { problem: `Value ${index}: ${checked.problem}`, suggestion: checked.suggestion }
    // checkScalar never answers null or a list.
    values.push(checked.value as Scalar)
  }
  return { value: values.length === 0 ? null : values }
}
