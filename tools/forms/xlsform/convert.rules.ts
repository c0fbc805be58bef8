/** An XLSForm as properties, entities and a layout; what has no place here is told, row by row. */
import { quoted } from '#platform/suggest.ts'
import { finding, type Finding } from '#platform/validation.ts'
import type { PortableEntity } from '#tools/entities/entities.schema.ts'
import { maxOptions, type PortableProperty } from '#tools/properties/properties.schema.ts'

import { type Asked, isNumeric } from './carry.rules.ts'
import { type DraftName, namer, namesOfChoices } from './naming.rules.ts'
import { languageOf, type SheetRow, textsOf, unknownLanguages } from './rows.rules.ts'
import { questionType, type QuestionType } from './types.rules.ts'

export interface NotCarried {
  /** Of the sheet, header included. */
  readonly row?: number
  readonly sheet: 'survey' | 'choices' | 'settings'
  readonly question?: string
  readonly what: string
  readonly reason: string
}

export interface Workbook {
  readonly survey: readonly SheetRow[]
  readonly choices: readonly SheetRow[]
  readonly settings: readonly SheetRow[]
}

/** What the tenant has already. */
export interface Tenant {
  /** In lower case. */
  readonly properties: ReadonlySet<string>
  readonly entities: ReadonlySet<string>
  readonly languageCodes: readonly string[]
  readonly usualLanguage: string
}

/** A group of the form, and the groups around it. */
export interface GroupRow {
  readonly row: SheetRow
  readonly name: string
  readonly outer: GroupRow | undefined
}

export interface Question {
  readonly row: SheetRow
  readonly name: string
  readonly type: QuestionType
  readonly asked: Asked
  readonly group: GroupRow | undefined
  readonly choices: readonly SheetRow[]
}

/** The form itself, or a repeat: an entity with its questions. */
export interface Home {
  readonly entity: string
  readonly row: SheetRow | undefined
  readonly group: GroupRow | undefined
  readonly outer: Home | undefined
  /** In the order of the sheet. */
  readonly parts: (Question | Home)[]
}

export interface Survey {
  readonly form: Home
  readonly homes: readonly Home[]
  /** By what the XLSForm calls them, then by their entity: the first of each. */
  readonly questions: ReadonlyMap<string, ReadonlyMap<string, Question>>
  readonly notCarried: NotCarried[]
  readonly problems: readonly Finding[]
  readonly name: string
  readonly title: string
  readonly usualLanguage: string
}

const maxQuestions = 300
// Each question keeps the choices of its list as its own, so that a short workbook could ask for millions.
const maxChoices = 50_000
const maxDepth = 20

export const cell = ({ cells }: SheetRow, header: string) => cells.get(header) ?? ''
export const isQuestion = (part: Question | Home): part is Question => 'asked' in part

const skipped: Readonly<Record<string, string>> = {
  note: 'A note asks nothing. Put its text into the title of the section, or the help of a question.',
  end: 'The time of the end is the modifiedDate of the record.',
  deviceid: 'Devices are not noted.',
  subscriberid: 'Devices are not noted.',
  simserial: 'Devices are not noted.',
  audit: 'The history of the record tells who changed what.',
  'background-audio': 'Nothing is recorded without being asked for.',
  'xml-external': 'External data has no place in a form.',
  'csv-external': 'External data has no place in a form.',
  'start-geopoint': 'The place is not noted by itself.',
}

/** Reads the rows of the survey in their order. */
export function* readSurvey({ survey, choices, settings }: Workbook, tenant: Tenant, fileName: string): Generator<void, Survey> {
  const problems: Finding[] = []
  const notCarried: NotCarried[] = []
  const [setting] = settings
  const title = (setting && cell(setting, 'form_title')) || (setting && cell(setting, 'form_id')) || fileName
  const names = namer(tenant)
  const formId = (setting && cell(setting, 'form_id')) || title
  const name: DraftName = names.form(formId)
  if (tenant.entities.has(name.name.toLowerCase())) {
    const message = `There is an entity ${quoted(name.name)} already, as form_id of the settings names it. Choose another form_id, or delete that first.`
    problems.push(finding('$.assetKey', message, { code: 'already_exists' }))
  }
  if (name.said !== undefined) notCarried.push({ sheet: 'settings', what: 'form_id', reason: `${quoted(name.said)} became ${name.name}.` })
  const usualLanguage = languageOf((setting && cell(setting, 'default_language')) ?? '') ?? tenant.usualLanguage.slice(0, 2)
  const lists = Map.groupBy(
    choices.filter((row) => cell(row, 'list_name') !== '' && cell(row, 'name') !== ''),
    (row) => cell(row, 'list_name'),
  )
  const optionsOfList = new Map<string, Map<string, string>>()
  // A longer list is refused where a question names it.
  for (const [list, rows] of lists)
    if (rows.length <= maxOptions) optionsOfList.set(list, yield* namesOfChoices(rows.map((row) => cell(row, 'name'))))
  for (const [list, options] of optionsOfList) {
    const changed = [...options].filter(([said, kept]) => said !== kept)
    if (changed.length > 0)
      notCarried.push({
        sheet: 'choices',
        what: list,
        reason: `Choices have names here: ${changed
          .slice(0, 5)
          .map(([said, kept]) => `${quoted(said, 20)} became ${kept}`)
          .join(', ')}${changed.length > 5 ? ', …' : ''}.`,
      })
  }
  const form: Home = { entity: name.name, row: undefined, group: undefined, outer: undefined, parts: [] }
  const homes = [form]
  const questions = new Map<string, Map<string, Question>>()
  let home: Home = form
  let group: GroupRow | undefined
  let depth = 0
  let choicesInAll = 0
  const isCut = () => problems.length >= 50 || depth > maxDepth || choicesInAll > maxChoices
  const refuse = (row: SheetRow, message: string) =>
    problems.push(finding('$.assetKey', `Row ${row.line} of survey: ${message}`, { code: 'unprocessable' }))
  for (const row of survey) {
    yield
    if (isCut()) break
    const said = cell(row, 'type')
    if (said === '' || cell(row, 'disabled').toLowerCase() === 'yes') continue
    const control =
      /^(begin|end)[\s_](group|repeat)$/i
        .exec(said)
        ?.slice(1)
        .map((one) => one.toLowerCase()) ?? []
    const asked = cell(row, 'name')
    if (control.length > 0) depth += control[0] === 'begin' ? 1 : -1
    if (depth > maxDepth) {
      refuse(row, `groups and repeats stand at most ${maxDepth} deep in each other.`)
      continue
    }
    if (control[0] === 'begin' && control[1] === 'group') group = { row, name: asked, outer: group }
    else if (control[0] === 'begin') {
      const inner: Home = { entity: names.entity(asked || 'repeat', name.name), row, group, outer: home, parts: [] }
      home.parts.push(inner)
      homes.push(inner)
      home = inner
      group = undefined
    } else if (control[0] === 'end' && control[1] === 'group') {
      if (!group) refuse(row, 'a group ends that did not begin.')
      group = group?.outer
    } else if (control[0] === 'end') {
      if (group || !home.outer) refuse(row, 'a repeat ends that did not begin, or a group in it did not end.')
      group = home.group
      home = home.outer ?? form
    } else {
      const word = said.split(/\s/)[0]?.toLowerCase() ?? ''
      const why = skipped[word]
      const { type: plain, list } = questionType(said, cell(row, 'appearance').toLowerCase())
      const type = word === 'calculate' && isNumeric(cell(row, 'calculation')) ? ({ dataType: 'Number' } as const) : plain
      const lost = why ?? (type ? undefined : `There is no type ${quoted(said, 40)} here.`)
      if (lost !== undefined || !type) {
        notCarried.push({ row: row.line, sheet: 'survey', question: asked, what: said.slice(0, 80), reason: lost ?? '' })
        continue
      }
      if (asked === '') {
        refuse(row, 'the question has no name.')
        continue
      }
      const rows = list === undefined ? [] : (lists.get(list) ?? [])
      if (type.dataType === 'Choice' && rows.length === 0) {
        refuse(row, `there is no list ${quoted(list ?? '')} among the choices.`)
        continue
      }
      if (rows.length > maxOptions) {
        refuse(row, `the list ${quoted(list ?? '')} has ${rows.length} choices; at most ${maxOptions}.`)
        continue
      }
      choicesInAll += rows.length
      if (choicesInAll > maxChoices) {
        refuse(
          row,
          `with its list the questions have more than ${maxChoices} choices in all. Ask for the longest lists once, or in forms of their own.`,
        )
        continue
      }
      const property = names.property(asked, home.entity)
      if (property.said !== undefined)
        notCarried.push({
          row: row.line,
          sheet: 'survey',
          question: asked,
          what: 'name',
          reason: `${quoted(asked)} became ${property.name}.`,
        })
      if (type.loses !== undefined)
        notCarried.push({ row: row.line, sheet: 'survey', question: asked, what: said.slice(0, 80), reason: type.loses })
      const options = (list === undefined ? undefined : optionsOfList.get(list)) ?? new Map<string, string>()
      const question: Question = {
        row,
        name: asked,
        type,
        asked: { property: property.name, dataType: type.dataType, isList: type.isList === true, options, entity: home.entity },
        group,
        choices: rows,
      }
      home.parts.push(question)
      const namesakes = questions.get(asked) ?? new Map<string, Question>()
      if (!namesakes.has(home.entity)) namesakes.set(home.entity, question)
      questions.set(asked, namesakes)
    }
  }
  if (!isCut() && (group || home !== form))
    problems.push(finding('$.assetKey', 'A group or repeat of the survey has no end.', { code: 'unprocessable' }))
  for (const one of homes) {
    const count = one.parts.filter(isQuestion).length
    const what = one === form ? 'The form' : `The repeat ${quoted(cell(one.row ?? form.row ?? { line: 0, cells: new Map() }, 'name'))}`
    const message =
      count > maxQuestions
        ? `${what} has ${count} questions, and an entity at most ${maxQuestions} properties. Split it into several forms, or move questions into repeats.`
        : count === 0 && one === form && !isCut()
          ? 'The survey asks nothing: its first sheet to be read is called survey, with the columns type and name.'
          : undefined
    if (message !== undefined) problems.push(finding('$.assetKey', message, { code: 'unprocessable' }))
  }
  return { form, homes, questions, notCarried, problems, name: name.name, title, usualLanguage }
}

const withoutReferences = (text: string) => text.replaceAll(/\$\{[^}$]*\}/g, '…')

/** Names by language that the tenant has, of which the first is that of what says no language. */
export function displaysOf(row: SheetRow, { usualLanguage }: Survey, tenant: Tenant): NonNullable<PortableProperty['displays']> {
  const names = textsOf(row, 'label')
  const hints = textsOf(row, 'hint')
  const shown = new Map<string, { languageCode: string; name: string; description?: string }>()
  for (const [code, label] of names) {
    const wanted = code === '' ? usualLanguage : code
    const languageCode =
      tenant.languageCodes.find((one) => one.toLowerCase() === wanted) ??
      tenant.languageCodes.find((one) => one.toLowerCase().startsWith(`${wanted.slice(0, 2)}-`))
    const hint = hints.get(code)
    const name = withoutReferences(label).slice(0, 200)
    if (languageCode !== undefined && !shown.has(languageCode))
      shown.set(languageCode, {
        languageCode,
        name,
        ...(hint === undefined ? {} : { description: withoutReferences(hint).slice(0, 2_000) }),
      })
  }
  return [...shown.values()]
}

/** The entities: the form, and each repeat as a child of what it stands in. */
export function entitiesOf(survey: Survey, tenant: Tenant): PortableEntity[] {
  const { form, homes, title } = survey
  const ofForm = [{ languageCode: tenant.usualLanguage, name: title.slice(0, 200) }]
  return homes
    .filter((home) => home === form || home.parts.length > 0)
    .map((home) => ({
      internalName: home.entity,
      displays: home.row ? displaysOf(home.row, survey, tenant).map(({ languageCode, name }) => ({ languageCode, name })) : ofForm,
      properties: home.parts.filter(isQuestion).map(({ asked: { property, isList } }) => ({ property, ...(isList ? { isList } : {}) })),
      children: home.parts.flatMap((part) =>
        isQuestion(part) || part.parts.length === 0 ? [] : [{ childEntity: part.entity, isRequired: true, isList: true }],
      ),
    }))
}

const settingsHeard = ['form_title', 'form_id', 'default_language', 'version', 'style', 'id_string', 'title']

/** Settings and languages that say something that is not heard here. */
export function unheard({ survey, choices, settings }: Workbook): NotCarried[] {
  const [setting] = settings
  const said = [...(setting?.cells.keys() ?? [])].filter((name) => !settingsHeard.includes(name))
  return [
    ...said.map((what) => ({ sheet: 'settings' as const, what, reason: 'This setting has no place here.' })),
    ...unknownLanguages(survey.slice(0, 50)).map((what) => ({
      sheet: 'survey' as const,
      what,
      reason: 'No language is called so. Put its code in brackets behind it: label::English (en).',
    })),
    ...unknownLanguages(choices.slice(0, 50)).map((what) => ({ sheet: 'choices' as const, what, reason: 'No language is called so.' })),
  ]
}
