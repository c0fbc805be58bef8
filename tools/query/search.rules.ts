/** What a search says: words and phrases, all of which a record must hold. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'

const maxTerms = 10

/** The words of a query, and what stands in quotes as one. Throws 400 where there is none, or too many. */
export function termsOf(query: string): string[] {
  const found = [...query.matchAll(/"([^"]*)"|[^\s"]+/gu)].map(([whole, phrase]) => (phrase ?? whole).trim().replaceAll(/\s+/gu, ' '))
  const terms = [...new Set(found.filter((term) => term !== ''))]
  const refuse = (message: string) => new AppError('invalid_input', message, { issues: [finding('$.query', message)] })
  if (terms.length === 0) throw refuse('Say at least one word to look for.')
  if (terms.length > maxTerms) throw refuse(`Expected at most ${maxTerms} words and "phrases", got ${terms.length}.`)
  return terms
}

/** A regular expression of PostgreSQL that takes the term as it is. */
export function literalOf(term: string): string {
  return term.replaceAll(/[^\p{L}\p{N}\s]/gu, (special) => (special < '\u0080' ? `\\${special}` : special))
}

/** A part of a text as one line, with dots where more of it stands. */
export function excerptOf({
  text,
  isBegun,
  isEnded,
}: {
  readonly text: string
  readonly isBegun: boolean
  readonly isEnded: boolean
}): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim()
  // A cut between two words, where the text has any.
  const begin = isBegun ? line : line.replace(/^\S{1,20}\s/u, '')
  const end = isEnded ? begin : begin.replace(/\s\S{1,20}$/u, '')
  return `${isBegun ? '' : '… '}${end}${isEnded ? '' : ' …'}`
}
