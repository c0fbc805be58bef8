/** The types of questions of XLSForms, and what they are here. */
import type { DataType } from '#tools/entities/catalog.types.ts'

import type { Control } from '../layout.schema.ts'

export interface QuestionType {
  readonly dataType: DataType
  readonly control?: Control
  readonly isWhole?: true
  readonly isList?: true
  readonly allowedFileTypes?: readonly string[]
  /** What begins the value: of what a phone notes by itself. */
  readonly default?: string
  /** What of it is lost. */
  readonly loses?: string
}

const pictures = ['jpg', 'jpeg', 'png', 'webp', 'heic']
const place = { dataType: 'Text', loses: 'The place is kept as text: latitude, longitude, altitude, accuracy.' } as const

const types: Readonly<Record<string, QuestionType>> = {
  text: { dataType: 'Text' },
  string: { dataType: 'Text' },
  integer: { dataType: 'Number', isWhole: true },
  int: { dataType: 'Number', isWhole: true },
  decimal: { dataType: 'Number' },
  range: { dataType: 'Number', control: 'slider' },
  date: { dataType: 'DateOnly' },
  time: { dataType: 'TimeOnly' },
  datetime: { dataType: 'DateTime' },
  select_one: { dataType: 'Choice' },
  select_multiple: { dataType: 'Choice', isList: true },
  rank: {
    dataType: 'Choice',
    isList: true,
    loses: 'The choices are kept in the order in which they are sent; the control does not rank them.',
  },
  image: { dataType: 'Attachment', control: 'photo', allowedFileTypes: pictures },
  photo: { dataType: 'Attachment', control: 'photo', allowedFileTypes: pictures },
  audio: { dataType: 'Attachment', control: 'audio' },
  video: { dataType: 'Attachment', control: 'video' },
  file: { dataType: 'Attachment' },
  barcode: { dataType: 'Text', control: 'scan' },
  geopoint: place,
  geotrace: place,
  geoshape: place,
  acknowledge: { dataType: 'Boolean', control: 'checkbox' },
  trigger: { dataType: 'Boolean', control: 'checkbox' },
  today: { dataType: 'DateOnly', default: '[[$today]]' },
  start: { dataType: 'DateTime', default: '[[$now]]' },
  username: { dataType: 'Text', default: '[[$user.userName]]' },
  email: { dataType: 'Text', default: '[[$user.email]]' },
  phonenumber: { dataType: 'Text', default: '[[$user.phone]]' },
  calculate: { dataType: 'Text' },
  hidden: { dataType: 'Text' },
}

/** The type of a question, and the list of choices that it names. */
export function questionType(
  said: string,
  appearance: string,
): { readonly type: QuestionType | undefined; readonly list: string | undefined } {
  const [first = '', second, ...rest] = said.split(/\s+/)
  const name = `${first} ${second ?? ''}`.toLowerCase()
  const isTwoWords = name === 'select one' || name === 'select multiple'
  const word = isTwoWords ? name.replace(' ', '_') : first.toLowerCase()
  const type = types[word]
  const list = type?.dataType === 'Choice' ? (isTwoWords ? rest[0] : second) : undefined
  if (type?.control === 'photo' && /\b(?:signature|draw)\b/.test(appearance)) return { type: { dataType: 'Signature' }, list }
  if (word === 'text' && /\bmultiline\b/.test(appearance)) return { type: { dataType: 'Text', control: 'longText' }, list }
  if (word === 'select_one' && !/\b(?:minimal|search|autocomplete)\b/.test(appearance))
    return { type: type && { ...type, control: 'radio' }, list }
  return { type, list }
}

/** Appearances that are carried, or change nothing but the look. */
export const carriedAppearance =
  /^(?:multiline|signature|minimal|search|autocomplete|full|quick|compact|field-list|table-list|w\d{1,2}|columns?(?:-pack|-\d)?|horizontal|vertical|new|new-front|no-calendar|numbers|\s)*$/
