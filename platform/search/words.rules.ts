/** Search by words: what counts as one, and which of a query are names that must be met exactly. */
/** Words that say nothing about what is looked for, in the languages that phrases are kept in. */
const small = new Set(
  `a about an and any are as at be been but by can could did do does for from get gets got had has have how i if in into is it its me my no not of on one or our out
  should so some than that the their them then there these they this those to too up us was we what when where which who whom why will with would you your
  aber als am an auch auf aus bei bin da das dem den der des die ein eine einem einen einer eines er es für hat haben ich im ist kann man mein meine mit nach oder sie sind
  über um und uns unser von vor war was welche wenn wer wie wir wird wo zu zum zur
  au aux avec ce cet cette ces comment dans de des du elle en est et il ils je la le les leur mais mes mon nous on ou où par pas pour qu que quel quelle quelles quels qui sa
  ses son sont sur un une vos votre vous
  al como con cómo cuál cuáles de del donde dónde el ella en es esta este esto la las lo los me mi mis no o para pero por qué que quién se si sin su sus un una unas uno y ya`
    .split(/\s+/)
    .map(folded),
)

/** Without accents, in small letters. */
function folded(word: string): string {
  return word.normalize('NFD').replace(/\p{M}/gu, '').toLowerCase()
}

/** Endings that words take; what is left is the same for most forms of one. */
function stem(word: string): string {
  if (word.length < 5 || /\d|_/.test(word)) return word
  return word
    .replace(/(?:ies|ied)$/, 'y')
    .replace(/(?<=[^aeiou]{1,2}|[aeiou][a-z])(?:ings?|ed|es|s|ly)$/, '')
    .replace(/e$/, '')
}

/** The words of a text; a name such as `send_message` or `rowHash` counts as itself and as its parts. */
export function wordsOf(text: string): string[] {
  return (text.match(/[\p{L}\p{N}_]+/gu) ?? []).flatMap((token) => {
    const parts = token.split(/_+|(?<=[a-z])(?=[A-Z])/).filter(Boolean)
    return parts.length > 1 ? [token, ...parts] : [token]
  })
}

/** A word as it is indexed and looked up; null for those that say nothing. */
export function termOf(word: string): string | null {
  const plain = folded(word)
  return small.has(plain) || (plain.length < 2 && !/\d/.test(plain)) ? null : stem(plain)
}

/** How many words of a text say something. */
export function termsOf(text: string): number {
  return wordsOf(text).filter((word) => termOf(word) !== null).length
}

/** The names in a query: `send_message`, `eiRecordId`, `DATABASE_URL`, `409`. */
export function namesIn(query: string): string[] {
  const found = query.match(/[A-Za-z][A-Za-z0-9]*(?:[_-][A-Za-z0-9]+)+|[a-z]+[A-Z][A-Za-z0-9]*|\b\d{3,}\b/g) ?? []
  return [...new Set(found)]
}
