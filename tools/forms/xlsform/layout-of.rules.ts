/** The properties and the layout of an XLSForm that was read. */
import { findPatternFault } from '#platform/patterns.ts'
import { quoted } from '#platform/suggest.ts'
import type { Body } from '#tools/definitions/service.ts'
import { checkValue, type ValueRules } from '#tools/properties/service.ts'
import type { PortableProperty } from '#tools/properties/properties.schema.ts'

import { both, carryCondition, carryLimits, carryValue, type Group, type Limits, type Scope, tokenOf } from './carry.rules.ts'
import {
  cell,
  displaysOf,
  type GroupRow,
  type Home,
  isQuestion,
  type NotCarried,
  type Question,
  type Survey,
  type Tenant,
} from './convert.rules.ts'
import { numberer } from './naming.rules.ts'
import { layoutText, type SheetRow, textsOf } from './rows.rules.ts'
import { carriedAppearance } from './types.rules.ts'

export interface Carried {
  readonly properties: readonly PortableProperty[]
  readonly layout: Body
  readonly notCarried: readonly NotCarried[]
}

interface Carrying {
  readonly survey: Survey
  readonly tenant: Tenant
  readonly properties: PortableProperty[]
  readonly notCarried: NotCarried[]
  /** Of the lists of choices, each made once. */
  readonly options: Map<readonly SheetRow[], NonNullable<PortableProperty['propertyOptions']>>
}

const isYes = (text: string) => /^(?:yes|true|true\(\))$/i.test(text)
const isNo = (text: string) => text === '' || /^(?:no|false|false\(\))$/i.test(text)
const maxConditions = 200

function tell(
  { notCarried }: Carrying,
  { row, name }: { readonly row: SheetRow; readonly name?: string },
  what: string,
  reason: string,
): void {
  notCarried.push({ row: row.line, sheet: 'survey', ...(name === undefined ? {} : { question: name }), what, reason })
}

function scopeOf({ survey }: Carrying, home: Home): Scope {
  return {
    entity: home.entity,
    form: survey.form.entity,
    find(name) {
      const namesakes = survey.questions.get(name)
      const [first] = namesakes?.values() ?? []
      return (namesakes?.get(home.entity) ?? first)?.asked
    },
  }
}

/** The relevance of a row; undefined where it has none or is not carried, which is told. */
function relevanceOf(
  carrying: Carrying,
  scope: Scope,
  row: SheetRow,
  name: string,
): { readonly when: Group | undefined; readonly isLost: boolean } {
  const said = cell(row, 'relevant')
  if (said === '') return { when: undefined, isLost: false }
  const when = carryCondition(said, scope)
  if (!when) tell(carrying, { row, name }, 'relevant', `${quoted(said)} cannot be a filter here: it is always shown.`)
  return { when, isLost: !when }
}

/** The relevances of a group and of those around it. */
function relevanceOfGroups(carrying: Carrying, scope: Scope, group: GroupRow | undefined): { when: Group | undefined; isLost: boolean } {
  if (!group) return { when: undefined, isLost: false }
  const outer = relevanceOfGroups(carrying, scope, group.outer)
  const said = cell(group.row, 'relevant')
  const own = said === '' ? undefined : carryCondition(said, scope)
  return { when: both(outer.when, own), isLost: outer.isLost || (said !== '' && !own) }
}

function changed(scope: Scope) {
  return (text: string) =>
    text.replaceAll('[[', String.raw`\[[`).replaceAll(/\$\{\s*([^}\s$]+)\s*\}/g, (_, name: string) => tokenOf(name, scope) ?? '…')
}

const languagesKnown = (tenant: Tenant, code: string) =>
  code === '' || tenant.languageCodes.some((one) => one.toLowerCase().startsWith(code.slice(0, 2)))

/** A text of the layout, where the displays of the property do not say it all. */
function ownText({ survey, tenant }: Carrying, row: SheetRow, header: string, scope: Scope): Body {
  const texts = textsOf(row, header)
  const isShown = [...texts].every(([code, text]) => languagesKnown(tenant, code) && !text.includes('${'))
  const text = isShown ? undefined : layoutText(texts, survey.usualLanguage, changed(scope))
  return text === undefined ? {} : { [header === 'hint' ? 'help' : 'label']: text }
}

/** A default as the property takes it. */
function defaultOf(carrying: Carrying, question: Question, scope: Scope): Body {
  const { row, type, asked } = question
  if (type.default !== undefined) return { default: type.default }
  const said = cell(row, 'default')
  if (said === '') return {}
  const options = said.split(/\s+/).map((one) => asked.options.get(one))
  const isBoolean = asked.dataType === 'Boolean'
  const literal =
    asked.dataType === 'Choice'
      ? options.includes(undefined)
        ? undefined
        : asked.isList
          ? options
          : options[0]
      : asked.dataType === 'Number'
        ? Number.isFinite(Number(said))
          ? Number(said)
          : undefined
        : isBoolean
          ? /^(?:ok|yes|true|1)$/i.test(said)
          : /\$\{|^\w+\(/.test(said)
            ? undefined
            : said
  const rules: ValueRules = {
    dataType: asked.dataType,
    isList: false,
    minValueOrLength: null,
    maxValueOrLength: null,
    maxDecimalPlaces: null,
    regEx: null,
    options: [],
    optionFilter: null,
  }
  const isPlain = asked.dataType !== 'Choice' && literal !== undefined && typeof literal !== 'object'
  if (literal !== undefined && (!isPlain || 'value' in checkValue(rules, literal, { matches: () => true })))
    return { default: typeof literal === 'string' ? literal.replaceAll('[[', String.raw`\[[`) : literal }
  const computed = carryValue(said, scope)?.value
  if (computed !== undefined && asked.dataType !== 'Choice' && !['Attachment', 'Signature'].includes(asked.dataType))
    return { default: computed }
  tell(carrying, question, 'default', `${quoted(said)} is no value of ${asked.dataType}.`)
  return {}
}

function limitsOf(carrying: Carrying, question: Question): Limits {
  const { row, type, asked } = question
  const limits: Limits = {}
  const said = cell(row, 'constraint')
  if (said !== '') {
    const carried = carryLimits(said, asked.dataType, type.isWhole === true)
    if (carried && (carried.regEx === undefined || findPatternFault(carried.regEx) === undefined)) Object.assign(limits, carried)
    else tell(carrying, question, 'constraint', `${quoted(said)} is more than limits and a pattern of the property.`)
    if (cell(row, 'constraint_message') !== '')
      tell(carrying, question, 'constraint_message', 'The server says itself what is wrong with a value.')
  }
  if (type.control === 'slider') {
    const number = (name: string) => Number(new RegExp(`\\b${name}\\s*=\\s*(-?[\\d.]+)`).exec(cell(row, 'parameters'))?.[1] ?? Number.NaN)
    const [start, end] = [number('start'), number('end')]
    if (Number.isFinite(start) && Number.isFinite(end) && start <= end)
      Object.assign(limits, { minValueOrLength: start, maxValueOrLength: end })
  }
  const { minValueOrLength: least = -Infinity, maxValueOrLength: most = Infinity } = limits
  return least > most ? {} : limits
}

/** A cascade: the choices of which a column equals the answer to another question. */
function optionsFilterOf(carrying: Carrying, question: Question, scope: Scope): Body {
  const said = cell(question.row, 'choice_filter')
  if (said === '') return {}
  const [, column = '', name = ''] = /^\s*([\w-]+)\s*=\s*\$\{\s*([\w.-]+)\s*\}\s*$/.exec(said) ?? []
  const on = scope.find(name)
  const groups = Map.groupBy(question.choices, (row) => cell(row, column.toLowerCase()))
  // One group has no value. Asked before thousands are read as conditions.
  const isLong = groups.size > maxConditions + 1
  const cases = (isLong ? [] : [...groups]).flatMap(([value, rows]) => {
    const when = value === '' ? undefined : carryCondition(`\${${name}} = '${value.replaceAll("'", '')}'`, scope)
    const options = rows.flatMap((row) => question.asked.options.get(cell(row, 'name')) ?? [])
    return when && options.length > 0 ? [{ when, options: [...new Set(options)] }] : []
  })
  if (!on || on.dataType !== 'Choice' || on.isList || cases.length === 0 || cases.length > maxConditions) {
    tell(
      carrying,
      question,
      'choice_filter',
      `${quoted(said)} is not "column = \${question}" on a question with one choice: all choices are offered.`,
    )
    return {}
  }
  return { optionsFilter: cases }
}

const carriedColumns = new Set([
  'calculation',
  'repeat_count',
  'media::image',
  'media::audio',
  'media::video',
  'image',
  'audio',
  'video',
  'trigger',
  'guidance_hint',
])

function captureOf({ row, asked }: Question): Body {
  const pixels = Number(/\bmax-pixels\s*=\s*(\d{1,5})\b/.exec(cell(row, 'parameters'))?.[1])
  return asked.dataType === 'Attachment' && pixels >= 64 && pixels <= 10_000 ? { capture: { maxEdge: pixels } } : {}
}

/** The options of a property, pausing after each: a list has thousands, in many languages. */
function* optionsOf({ survey, tenant, options: known }: Carrying, { choices, asked }: Question) {
  const made = known.get(choices)
  if (made) return made
  const rows = new Map(choices.map((choice) => [cell(choice, 'name'), choice]))
  const options: NonNullable<PortableProperty['propertyOptions']> = []
  for (const [said, choice] of rows) {
    yield
    const displays = displaysOf(choice, survey, tenant).map(({ languageCode = '', name }) => ({ languageCode, name }))
    options.push({ internalName: asked.options.get(said) ?? '', displays })
  }
  known.set(choices, options)
  return options
}

/** The property of a question, and its field. */
function* carryQuestion(
  carrying: Carrying,
  question: Question,
  home: Home,
  section: { when: Group | undefined; isLost: boolean },
): Generator<void, Body> {
  yield
  const { survey, tenant, properties } = carrying
  const { row, type, asked, name } = question
  const scope = scopeOf(carrying, home)
  const calculation = cell(row, 'calculation')
  const computed = calculation === '' ? undefined : carryValue(calculation, scope)
  if (calculation !== '') {
    // Half of it is carried: whoever changes what it was worked out of has to know that it stays.
    const reason = computed
      ? 'It is worked out once, when a record is made; a change of the record leaves it as it is.'
      : `${quoted(calculation)} is more than can be worked out here.`
    tell(carrying, question, 'calculation', reason)
  }
  const isCalculate = cell(row, 'type').toLowerCase() === 'calculate'
  const own = relevanceOf(carrying, scope, row, name)
  const groups = home === survey.form ? section : relevanceOfGroups(carrying, scope, question.group)
  const visible = home === survey.form ? own.when : both(groups.when, own.when)
  const hidden = both(home === survey.form ? section.when : undefined, visible)
  const isHiddenWithoutUs = own.isLost || groups.isLost
  for (const column of [...row.cells.keys()].filter(
    (one) => one !== 'calculation' && (carriedColumns.has(one) || /^(?:required|constraint)_message::/.test(one)),
  ))
    tell(carrying, question, column, 'It has no place in a form.')
  const appearance = cell(row, 'appearance')
  if (appearance !== '' && !carriedAppearance.test(appearance.toLowerCase()))
    tell(carrying, question, 'appearance', `${quoted(appearance)} is not known here.`)
  const said = cell(row, 'required')
  const isRequired = isYes(said)
  const requiredWhen = isRequired || isNo(said) ? undefined : carryCondition(said, scope)
  if (!isRequired && !isNo(said) && !requiredWhen) tell(carrying, question, 'required', `${quoted(said)} cannot be a filter here.`)
  if (isRequired && isHiddenWithoutUs)
    tell(carrying, question, 'required', 'Its relevance is not carried, so that it could not be asked for in every case.')
  properties.push({
    internalName: asked.property,
    dataType: asked.dataType,
    displays: displaysOf(row, survey, tenant),
    ...(type.isWhole ? { maxDecimalPlaces: 0 } : {}),
    ...(type.allowedFileTypes ? { allowedFileTypes: [...type.allowedFileTypes] } : {}),
    ...(isCalculate ? {} : limitsOf(carrying, question)),
    ...(asked.dataType === 'Choice' ? { propertyOptions: yield* optionsOf(carrying, question) } : {}),
  })
  return {
    property: asked.property,
    ...ownText(carrying, row, 'label', scope),
    ...ownText(carrying, row, 'hint', scope),
    ...(type.control ? { control: type.control } : {}),
    ...captureOf(question),
    ...(isRequired && !isHiddenWithoutUs
      ? hidden
        ? { requiredWhen: hidden }
        : { required: true }
      : requiredWhen
        ? { requiredWhen: both(hidden, requiredWhen) }
        : {}),
    ...(isYes(cell(row, 'readonly')) || type.default !== undefined || (isCalculate && computed) ? { readOnly: true } : {}),
    ...(computed ? { default: computed.value } : defaultOf(carrying, question, scope)),
    ...(visible ? { visibleWhen: visible } : {}),
    ...optionsFilterOf(carrying, question, scope),
  }
}

function* listOf(carrying: Carrying, home: Home, name: string): Generator<void, Body> {
  const { survey } = carrying
  const row = home.row ?? { line: 0, cells: new Map<string, string>() }
  const scope = scopeOf(carrying, survey.form)
  const around = relevanceOfGroups(carrying, scope, home.group)
  const own = relevanceOf(carrying, scope, row, name)
  const when = both(around.when, own.when)
  const count = cell(row, 'repeat_count')
  const max = /^\d{1,4}$/.test(count) && Number(count) >= 1 && Number(count) <= 1_000 ? Number(count) : undefined
  if (count !== '' && max === undefined) tell(carrying, { row, name }, 'repeat_count', `${quoted(count)} is no number from 1 to 1,000.`)
  const title = layoutText(textsOf(row, 'label'), survey.usualLanguage, changed(scope))
  const fields: Body[] = []
  for (const part of home.parts)
    if (isQuestion(part)) fields.push(yield* carryQuestion(carrying, part, home, { when: undefined, isLost: false }))
  return {
    type: 'list',
    name,
    ...(title === undefined ? {} : { title }),
    entity: home.entity,
    fields,
    ...(max === undefined ? {} : { max }),
    ...(when ? { visibleWhen: when } : {}),
  }
}

/** A repeat inside a repeat has its entity, and no place in this form. */
function* carryDeeper(carrying: Carrying, home: Home): Generator<void, void> {
  for (const part of home.parts) {
    if (isQuestion(part) || !part.row) continue
    tell(
      carrying,
      { row: part.row, name: cell(part.row, 'name') },
      'begin_repeat',
      `A list holds no other list: ${part.entity} is a child of ${home.entity}, and is entered by a form of its own.`,
    )
    for (const inner of part.parts) if (isQuestion(inner)) yield* carryQuestion(carrying, inner, part, { when: undefined, isLost: false })
    yield* carryDeeper(carrying, part)
  }
}

/** Carries the whole survey, pausing after each part. */
export function* carrySurvey(survey: Survey, tenant: Tenant, isPaged: boolean): Generator<void, Carried> {
  const carrying: Carrying = { survey, tenant, properties: [], notCarried: [...survey.notCarried], options: new Map() }
  const scope = scopeOf(carrying, survey.form)
  const sections: (Body & { fields: Body[] })[] = []
  const names = new Set<string>()
  const free = numberer('')
  const nameFor = (said: string) => {
    const base = /^[A-Za-z]\w{0,57}$/.test(said) ? said : 'section'
    const name = free(base, (one) => names.has(one.toLowerCase()))
    names.add(name.toLowerCase())
    return name
  }
  let open:
    | { readonly group: GroupRow | undefined; readonly fields: Body[]; readonly relevance: { when: Group | undefined; isLost: boolean } }
    | undefined
  const told = new Set<GroupRow>()
  for (const part of survey.form.parts) {
    yield
    if (!isQuestion(part)) {
      open = undefined
      if (part.parts.some(isQuestion))
        sections.push(
          (yield* listOf(carrying, part, nameFor(cell(part.row ?? { line: 0, cells: new Map() }, 'name')))) as Body & { fields: Body[] },
        )
      yield* carryDeeper(carrying, part)
      continue
    }
    if (!open || open.group !== part.group) {
      for (let group = part.group; group && !told.has(group); group = group.outer) {
        told.add(group)
        relevanceOf(carrying, scope, group.row, group.name)
      }
      const relevance = relevanceOfGroups(carrying, scope, part.group)
      const title = part.group && layoutText(textsOf(part.group.row, 'label'), survey.usualLanguage, changed(scope))
      const fields: Body[] = []
      sections.push({
        type: 'detail',
        name: nameFor(part.group?.name ?? 'main'),
        ...(title === undefined ? {} : { title }),
        ...(relevance.when ? { visibleWhen: relevance.when } : {}),
        fields,
      })
      open = { group: part.group, fields, relevance }
    }
    open.fields.push(yield* carryQuestion(carrying, part, survey.form, open.relevance))
  }
  const layout = {
    entity: survey.form.entity,
    binding: { type: 'entity', name: survey.form.entity },
    ...(isPaged ? { pages: 'section' } : {}),
    sections,
  }
  return { properties: carrying.properties, layout, notCarried: carrying.notCarried }
}
