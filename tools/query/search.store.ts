/** Statements of the search in all texts of records. */
import type { Tx } from '#platform/db/pool.ts'
import type { CatalogProperty } from '#tools/entities/catalog.types.ts'

import { createParameters, type Parameters } from './columns.rules.ts'
import { run } from './read.store.ts'
import { literalOf } from './search.rules.ts'
import { columnOf, isWithheld, keySql, openSource, type Readable, rowsOf, type Source } from './source.rules.ts'

/** Of each record so many characters are looked through: its key, then its texts in the order of the entity. */
const searchedCharacters = 20_000
/** Of each entity so many are ranked, the newest; a word that everything holds says little. */
export const rankedRecords = 1_000

const excerptCharacters = 200
const beforeMatch = 60
const titleCharacters = 200

/** The terms as texts are compared; those of which nothing is left are left out. */
export async function foldTerms(tx: Tx, terms: readonly string[]): Promise<string[]> {
  const parameters = createParameters()
  const list = `jsonb_array_elements_text(${parameters.add(JSON.stringify(terms))}::text::jsonb) with ordinality as u(term, n)`
  const rows = await run<{ folded: string }>(tx, `select search.folded(u.term) as folded from ${list} order by u.n`, parameters)
  return [...new Set(rows.map((row) => row.folded).filter((term) => term !== ''))]
}

/** What is searched: keys and texts that the caller sees, and of these nothing sensitive, whoever asks. */
function partsOf(source: Source): { readonly keys: readonly string[]; readonly texts: readonly string[]; readonly title: string } {
  const { properties } = source.entity
  const isOpen = (property: CatalogProperty) => !property.isSensitive && !isWithheld(source, property)
  const keys = ([1, 2, 3] as const).flatMap((part) => {
    const of = properties.find((property) => property.keyPart === part)
    return of && !isOpen(of) ? [] : [`nullif(${keySql(source, part)}, '')`]
  })
  const texts = properties.filter((property) => property.dataType === 'Text' && isOpen(property))
  const single = texts.filter((property) => !property.isList).map((property) => `nullif(${columnOf(source, property)}, '')`)
  return {
    keys,
    texts: texts.map((property) => (property.isList ? `array_to_string(${columnOf(source, property)}, ', ')` : columnOf(source, property))),
    title: single.length > 0 ? `coalesce(${single.join(', ')})` : 'null::text',
  }
}

// Lines, so that no phrase is found across two values.
const linesOf = (parts: readonly string[]) => (parts.length > 0 ? `concat_ws(E'\\n', ${parts.join(', ')})` : `''`)

/** How well a text holds the terms, from 0 to 1: as words, at the beginning of words or inside of them, and whether its key or title does. */
function scoreSql(parameters: Parameters, terms: readonly string[]): string {
  const each = terms.map((term) => {
    const [literal, plain] = [parameters.add(literalOf(term)), parameters.add(term)].map((one) => `${one}::text`)
    const place = `case when f ~ ('\\m' || ${literal} || '\\M') then 0.7 when f ~ ('\\m' || ${literal}) then 0.5 else 0.2 end`
    return `${place} + case when strpos(h, ${plain}) > 0 then 0.3 else 0 end`
  })
  return `(${each.join(' + ')}) / ${terms.length}`
}

// Where it fails, the statement behind it does.
const silent = () => {}

export interface FoundRecord {
  readonly eiRecordId: number
  readonly externalKey: string
  /** Empty where no text of the record has anything. */
  readonly title: string
  readonly excerpt: string
  readonly isBegun: boolean
  readonly isEnded: boolean
  readonly score: number
  /** How many were found, at most one more than are ranked. */
  readonly found: number
}

/** The live records of an entity that hold all terms, which are folded, the best ones first. */
export async function findHolding(
  tx: Tx,
  readable: Readable,
  { terms, limit, withinMs }: { readonly terms: readonly string[]; readonly limit: number; readonly withinMs: number },
): Promise<FoundRecord[]> {
  tx.unsafe(`set local statement_timeout = ${withinMs}`).execute().catch(silent)
  const parameters = createParameters()
  const source = openSource(readable)
  const { keys, texts, title } = partsOf(source)
  const { from, conditions } = rowsOf(parameters, source)
  const all = `left(${linesOf([...keys, ...texts])}, ${searchedCharacters})`
  // Behind a fence, or each comparison would fold the text for itself.
  const folded = `cross join lateral (select search.folded(${all}) as f offset 0) x`
  // Which costs half of what a comparison by `like` does.
  const held = terms.map((term) => `strpos(x.f, ${parameters.add(term)}::text) > 0`)
  const head = `search.folded(left(${linesOf([...keys, title])}, ${2 * titleCharacters}))`
  const score = scoreSql(parameters, terms)
  const shown = rowsOf(parameters, source)
  const at = terms.map((term) => `nullif(strpos(t.f, ${parameters.add(term)}::text), 0)`)
  const text = `with found as materialized (
      select e.id, x.f, ${head} as h from ${from} ${folded}
      where ${[...conditions, ...held].join(' and ')} order by e.id desc limit ${rankedRecords + 1}),
    best as materialized (
      select id, ${score} as score, (select count(*) from found) as found from found order by 2 desc, 1 desc limit ${limit})
    select best.id as "eiRecordId", round(best.score, 3)::float8 as score, best.found::int as found, r.*
    from best cross join lateral (
      select concat_ws(' / ', ${keys.length > 0 ? keys.join(', ') : `''`}) as "externalKey", coalesce(left(${title}, ${titleCharacters}), '') as title,
        substr(b.text, p.begin, ${excerptCharacters}) as excerpt, p.begin = 1 as "isBegun", p.begin + ${excerptCharacters} > length(b.text) as "isEnded"
      from ${shown.from}
        cross join lateral (select left(${linesOf(texts)}, ${searchedCharacters}) as text offset 0) b
        cross join lateral (select search.folded(b.text) as f offset 0) t
        cross join lateral (select greatest(1, coalesce(least(${at.join(', ')}), 1) - ${beforeMatch}) as begin offset 0) p
      where ${[...shown.conditions, 'e.id = best.id'].join(' and ')}) r
    order by best.score desc, best.id desc`
  return run<FoundRecord>(tx, text, parameters)
}
