/** What people answer in words where choices were offered: "2 please", "the second", "Sí, cerrado". What is not sure is not understood, and asked again. */
import type { Card } from './messaging.schema.ts'
import { choiceOf } from './messaging.rules.ts'

type Choices = NonNullable<Card['choices']>

interface Words {
  readonly yes: readonly string[]
  readonly no: readonly string[]
  /** From one on. */
  readonly numbers: readonly string[]
}

const words = (yes: string, no: string, numbers: string): Words => ({ yes: yes.split(' '), no: no.split(' '), numbers: numbers.split(' ') })

/** By the first part of a language code; without accents, in small letters, as replies are looked at. */
const wordsOf: Readonly<Record<string, Words>> = {
  en: words('yes y yeah yep ok okay sure', 'no n nope', 'one two three four five six seven eight nine ten'),
  de: words('ja jo jawohl', 'nein ne nee', 'eins zwei drei vier funf sechs sieben acht neun zehn'),
  fr: words('oui', 'non', 'un deux trois quatre cinq six sept huit neuf dix'),
  es: words('si', 'no', 'uno dos tres cuatro cinco seis siete ocho nueve diez'),
  ca: words('si', 'no', 'un dos tres quatre cinc sis set vuit nou deu'),
  it: words('si', 'no', 'uno due tre quattro cinque sei sette otto nove dieci'),
  pt: words('sim', 'nao', 'um dois tres quatro cinco seis sete oito nove dez'),
  nl: words('ja', 'nee', 'een twee drie vier vijf zes zeven acht negen tien'),
  pl: words('tak', 'nie', 'jeden dwa trzy cztery piec szesc siedem osiem dziewiec dziesiec'),
  sv: words('ja', 'nej', 'ett tva tre fyra fem sex sju atta nio tio'),
  da: words('ja', 'nej', 'en to tre fire fem seks syv otte ni ti'),
  nb: words('ja', 'nei', 'en to tre fire fem seks sju atte ni ti'),
  fi: words('kylla joo', 'ei', 'yksi kaksi kolme nelja viisi kuusi seitseman kahdeksan yhdeksan kymmenen'),
  cs: words('ano', 'ne', 'jedna dva tri ctyri pet sest sedm osm devet deset'),
  ro: words('da', 'nu', 'unu doi trei patru cinci sase sapte opt noua zece'),
  hu: words('igen', 'nem', 'egy ketto harom negy ot hat het nyolc kilenc tiz'),
  el: words('ναι', 'οχι', 'ενα δυο τρια τεσσερα πεντε εξι επτα οκτω εννεα δεκα'),
  tr: words('evet', 'hayır', 'bir iki uc dort bes altı yedi sekiz dokuz on'),
  uk: words('так', 'ні', 'один два три чотири пять шість сім вісім девять десять'),
  ar: words('نعم', 'لا', 'واحد اثنان ثلاثة أربعة خمسة ستة سبعة ثمانية تسعة عشرة'),
  he: words('כן', 'לא', 'אחת שתיים שלוש ארבע חמש שש שבע שמונה תשע עשר'),
  hi: words('हाँ', 'नहीं', 'एक दो तीन चार पाँच छह सात आठ नौ दस'),
  id: words('ya', 'tidak', 'satu dua tiga empat lima enam tujuh delapan sembilan sepuluh'),
  vi: words('co', 'khong', 'mot hai ba bon nam sau bay tam chin muoi'),
  ja: words('はい', 'いいえ', '一 二 三 四 五 六 七 八 九 十'),
  ko: words('네 예', '아니요', '하나 둘 셋 넷 다섯 여섯 일곱 여덟 아홉 열'),
  zh: words('是 是的 好', '不 不是 否', '一 二 三 四 五 六 七 八 九 十'),
}

/** Of whoever's language nobody knows. */
const usual = ['en', 'de', 'fr', 'es']

/** What takes a yes or a choice back in the same breath. */
const turns = new Set('but not except however aber nicht mais pas pero salvo ma pero mas maar ale men mutta'.split(' '))

// Longer ones tell a story, of which the first word is not the answer.
const longestReply = 200
const mostWordsOfNumber = 4

// Marks over Latin and Greek letters alone: other scripts spell with theirs.
const folded = (text: string) =>
  text
    .normalize('NFD')
    .replaceAll(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toLowerCase()
    .replaceAll(/[’']/g, '')

interface Said {
  readonly words: readonly string[]
  /** The words before the first comma, full stop or line. */
  readonly first: readonly string[]
}

const split = (text: string) => text.split(/[^\p{L}\p{M}\p{N}#]+/u).filter((word) => word !== '')

function read(text: string): Said {
  const whole = folded(text)
  return { words: split(whole), first: split(whole.trim().split(/[,.;:!?\n–—]/u, 1)[0] ?? '') }
}

const beginsWith = (said: readonly string[], start: readonly string[]) =>
  start.length > 0 && start.length <= said.length && start.every((word, index) => said[index] === word)

/** The choice with whose label or key the reply begins, the longest of several. */
function named({ words: all }: Said, choices: Choices): string | undefined {
  const found = choices.flatMap((choice) =>
    [choice.label, choice.key].flatMap((name) => {
      const start = split(folded(name))
      return beginsWith(all, start) ? [{ key: choice.key, length: start.length }] : []
    }),
  )
  const longest = Math.max(0, ...found.map(({ length }) => length))
  const keys = new Set(found.filter(({ length }) => length === longest).map(({ key }) => key))
  return keys.size === 1 ? [...keys][0] : undefined
}

/** The one choice that means yes, or no. */
function meaning(side: 'yes' | 'no', choices: Choices): string | undefined {
  const all = new Set(Object.values(wordsOf).flatMap((one) => one[side]))
  const other = new Set(Object.values(wordsOf).flatMap((one) => one[side === 'yes' ? 'no' : 'yes']))
  const found = choices.filter(({ key, label }) => [key, label].some((name) => all.has(folded(name)) && !other.has(folded(name))))
  return found.length === 1 ? found[0]?.key : undefined
}

/**
 * The key of the choice that a reply means; undefined where that is not sure. `languageCode` is that of whoever replies, where it is known.
 */
export function understood(reply: string, choices: Choices, languageCode?: string | null): string | undefined {
  const exact = choiceOf(reply, choices)
  if (exact !== undefined) return exact
  const text = reply.trim()
  if (text === '' || text.length > longestReply) return undefined
  const said = read(text)
  if (said.words.some((word) => turns.has(word))) return undefined
  const known = languageCode?.toLowerCase().split('-', 1)[0]
  const languages = (known !== undefined && wordsOf[known] ? ['en', known] : usual).flatMap((code) => wordsOf[code] ?? [])
  const isOne = (side: 'yes' | 'no', word: string | undefined) => word !== undefined && languages.some((one) => one[side].includes(word))
  const [start] = said.words
  const byName = named(said, choices)
  // "No problem" is no "no": a no stands alone, or before a comma.
  if (byName !== undefined && (!isOne('no', start) || said.first.length === 1)) return byName
  if (isOne('yes', start)) return meaning('yes', choices)
  if (isOne('no', start) && said.first.length === 1) return meaning('no', choices)
  if (said.words.length > mostWordsOfNumber) return undefined
  const numbers = said.words.flatMap((word) => {
    const digits = /^#?(\d{1,2})$/.exec(word)?.[1]
    const index = digits === undefined ? languages.map(({ numbers: all }) => all.indexOf(word)).find((at) => at >= 0) : Number(digits) - 1
    return index === undefined ? [] : [index]
  })
  return new Set(numbers).size === 1 ? choices[numbers[0] ?? -1]?.key : undefined
}
