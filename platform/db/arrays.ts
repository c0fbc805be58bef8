/**
 * Arrays on the wire. postgres.js learns the array types by a query of its own at each connect, and a connection that goes in that moment ends the
 * process, since nobody awaits that query. PostgreSQL's own types have fixed numbers, so they stand here instead.
 */
import type postgres from 'postgres'

type Parse = (text: string) => unknown

const asText: Parse = (text) => text
const asNumber: Parse = Number

/** By the number of the element's type: its array's number, and what an element becomes. */
const arrays: Readonly<Record<number, readonly [arrayOid: number, parse: Parse]>> = {
  16: [1000, (text) => text === 't'],
  17: [1001, (text) => Buffer.from(text.slice(2), 'hex')],
  19: [1003, asText],
  20: [1016, asNumber],
  21: [1005, asNumber],
  23: [1007, asNumber],
  25: [1009, asText],
  26: [1028, asNumber],
  114: [199, (text) => JSON.parse(text) as unknown],
  700: [1021, asNumber],
  701: [1022, asNumber],
  1042: [1014, asText],
  1043: [1015, asText],
  1082: [1182, asText],
  1083: [1183, asText],
  1700: [1231, asText],
  2950: [2951, asText],
  3802: [3807, (text) => JSON.parse(text) as unknown],
}
const timeArrays: Readonly<Record<number, number>> = { 1114: 1115, 1184: 1185 }

/** The array types for postgres.js's options. `parseTime` is what a timestamp becomes. */
export function arrayTypes(parseTime: (text: string) => string): Record<string, postgres.PostgresType> {
  const of = (arrayOid: number, parse: Parse): postgres.PostgresType => ({
    to: arrayOid,
    from: [arrayOid],
    serialize: serializeArray,
    parse: (text: string) => parseArray(text, parse),
  })
  return Object.fromEntries([
    ...Object.entries(arrays).map(([oid, [arrayOid, parse]]) => [`array${oid}`, of(arrayOid, parse)]),
    ...Object.entries(timeArrays).map(([oid, arrayOid]) => [`array${oid}`, of(arrayOid, parseTime)]),
  ])
}

/** The number of the array type for a parameter: of the element type that is named, else of what the first element is; texts unless told. */
export function arrayOidOf(values: readonly unknown[], elementOid?: number): number {
  const oid = elementOid ?? inferOid(values[0])
  return arrays[oid]?.[0] ?? timeArrays[oid] ?? 1009
}

function inferOid(value: unknown): number {
  if (typeof value === 'boolean') return 16
  if (typeof value === 'bigint') return 20
  if (value instanceof Uint8Array) return 17
  // Numbers go as texts, since only the statement knows which kind it wants: write ::int[], ::bigint[] or ::float8[] behind the parameter.
  return 25
}

/** `{"a","b",NULL}` of an array, nested ones too. A text is passed through: it is in this form already. */
export function serializeArray(value: unknown): unknown {
  return Array.isArray(value) ? arrayText(value) : value
}

function arrayText(values: readonly unknown[]): string {
  return `{${values.map(elementText).join(',')}}`
}

function elementText(value: unknown): string {
  if (value === null) return 'NULL'
  if (value === undefined) throw new TypeError('An array parameter holds undefined')
  if (Array.isArray(value)) return arrayText(value)
  if (typeof value === 'number' || typeof value === 'bigint') return String(value)
  if (typeof value === 'boolean') return value ? 't' : 'f'
  const text =
    typeof value === 'string' ? value : value instanceof Uint8Array ? `\\x${Buffer.from(value).toString('hex')}` : JSON.stringify(value)
  return `"${text.replaceAll(/["\\]/g, '\\$&')}"`
}

/** The elements of an array's text; NULL is null, and an inner array an array. */
export function parseArray(text: string, parse: Parse): unknown[] {
  // Bounds other than 1 stand in front: [0:2]={…}.
  let at = text.indexOf('{')

  function readArray(): unknown[] {
    const values: unknown[] = []
    at++
    while (text[at] !== '}') {
      if (text[at] === ',') at++
      else if (text[at] === '{') values.push(readArray())
      else values.push(text[at] === '"' ? parse(readQuoted()) : readPlain())
    }
    at++
    return values
  }

  function readQuoted(): string {
    let value = ''
    for (at++; text[at] !== '"'; at++) {
      if (text[at] === '\\') at++
      value += text[at]
    }
    at++
    return value
  }

  function readPlain(): unknown {
    const from = at
    while (text[at] !== ',' && text[at] !== '}') at++
    const value = text.slice(from, at)
    return value === 'NULL' ? null : parse(value)
  }

  return readArray()
}
