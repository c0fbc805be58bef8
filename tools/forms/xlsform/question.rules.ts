/** A question of an XLSForm as a property and its field. */
import { findPatternFault } from '#platform/patterns.ts'
import { quoted } from '#platform/suggest.ts'
import type { Body } from '#tools/definitions/service.ts'
import { checkValue, type ValueRules } from '#tools/properties/service.ts'
import type { PortableProperty } from '#tools/properties/properties.schema.ts'

import { both, carryCondition, carryLimits, carryValue, type Limits, type Scope } from './carry.rules.ts'
import { type Carrying, changed, relevanceOf, relevanceOfGroups, type Relevance, scopeOf, tell } from './carrying.rules.ts'
import { cell, displaysOf, type Home, type Question, type Tenant } from './convert.rules.ts'
import { layoutText, type SheetRow, textsOf } from './rows.rules.ts'
import { carriedAppearance } from './types.rules.ts'

const isYes = (text: string) => /^(?:yes|true|true\(\))$/i.test(text)
const isNo = (text: string) => text === '' || /^(?:no|false|false\(\))$/i.test(text)
const maxConditions = 200

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
export function* carryQuestion(carrying: Carrying, question: Question, home: Home, section: Relevance): Generator<void, Body> {
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
