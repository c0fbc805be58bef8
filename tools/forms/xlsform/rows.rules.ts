/** The sheets of an XLSForm: rows by the headers that ODK and Kobo use, and texts by language. */
import type { Text } from '../layout.schema.ts'

export interface SheetRow {
  /** Of the sheet, header included. */
  readonly line: number
  /** By header in lower case; blank cells are absent. */
  readonly cells: ReadonlyMap<string, string>
}

const otherNames: Readonly<Record<string, string>> = {
  relevance: 'relevant',
  'bind::relevant': 'relevant',
  'bind::required': 'required',
  'bind::readonly': 'readonly',
  'bind::constraint': 'constraint',
  'bind::calculate': 'calculation',
  calculate: 'calculation',
  'list name': 'list_name',
  value: 'name',
  caption: 'label',
  read_only: 'readonly',
}

/** Not by one pattern with the blanks in it, which takes the square of a long run of them. */
function nameOfHeader(header: string): string {
  const parts = header.toLowerCase().split(/:{1,2}/)
  const name = parts.map((part) => part.trim()).join('::')
  return otherNames[name] ?? name
}

/** The rows of a sheet as it was read: cells as texts, headers without regard to case. */
export function rowsOf(rows: readonly { readonly values: Readonly<Record<string, unknown>>; readonly line?: number }[]): SheetRow[] {
  const names = new Map<string, string>()
  return rows.map(({ values, line = 0 }) => ({
    line,
    cells: new Map(
      Object.entries(values).flatMap(([header, cell]) => {
        const text = typeof cell === 'string' ? cell.trim() : typeof cell === 'number' || typeof cell === 'boolean' ? String(cell) : ''
        const name = names.get(header) ?? nameOfHeader(header)
        names.set(header, name)
        return text === '' ? [] : [[name, text] as const]
      }),
    ),
  }))
}

const isCode = /^[a-z]{2,3}(?:-[a-z0-9]{2,8})?$/

// Every language that has a code of two letters, by what it is called in English.
let codesByName: ReadonlyMap<string, string> | undefined

function codeOfName(name: string): string | undefined {
  if (!codesByName) {
    const names = new Intl.DisplayNames('en', { type: 'language', fallback: 'none' })
    const letters = Array.from({ length: 26 }, (_, n) => String.fromCharCode(97 + n))
    const codes = letters.flatMap((one) => letters.map((other) => `${one}${other}`))
    // Without the codes of no language, of which each is called nothing: what says no language would be in the last of them.
    codesByName = new Map(
      codes.flatMap((code) => {
        const known = names.of(code)
        return known === undefined ? [] : [[known.toLowerCase(), code] as const]
      }),
    )
  }
  return codesByName.get(name)
}

/** The code of a language as headers name it: `English (en)`, `en`, `English`. */
export function languageOf(said: string): string | undefined {
  const plain = said.trim().toLowerCase()
  const within = /\(([^()]*)\)/.exec(plain)?.[1]?.trim()
  const code = within ?? plain
  return isCode.test(code) && (within !== undefined || code.length < 4 || code.includes('-')) ? code : codeOfName(plain)
}

/** The texts of a row under `label` or `hint`, by the code of their language; that without one under ''. */
export function textsOf({ cells }: SheetRow, header: string): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const [name, text] of cells) {
    if (name === header) texts.set('', text)
    else if (name.startsWith(`${header}::`)) {
      const code = languageOf(name.slice(header.length + 2))
      if (code !== undefined) texts.set(code, text)
    }
  }
  return texts
}

/** The languages that headers name and nobody knows. */
export function unknownLanguages(rows: readonly SheetRow[]): string[] {
  const said = rows.flatMap(({ cells }) => [...cells.keys()].flatMap((name) => /^(?:label|hint)::(.+)$/.exec(name)?.[1] ?? []))
  return [...new Set(said)].filter((one) => languageOf(one) === undefined)
}

/** A text of a layout; `usual` is the language of what says none. */
export function layoutText(texts: ReadonlyMap<string, string>, usual: string, change: (text: string) => string): Text | undefined {
  const cut = (text: string) => change(text).slice(0, 2_000)
  const [only] = texts.values()
  if (only === undefined) return undefined
  if (texts.size === 1 && texts.has('')) return cut(only)
  return Object.fromEntries([...texts].map(([code, text]) => [code === '' ? usual : code, cut(text)]))
}
