import { z } from 'zod'

import { finding } from '#platform/findings.ts'
import { readDraft } from '#platform/validation.ts'

import type { Values } from '../settings.rules.ts'
import { findShapeProblems, person } from './shapes.rules.ts'
import type { ShippedPack } from './shipped.types.ts'

const mostRules = 40
/** As many labels a picture has. */
const labels = 5
/** What one question offers, beside that none of it is right. */
const mostChoices = 19

const score = z.number().min(0).max(1)
const rule = z.strictObject({
  label: z.string().regex(/\S/).max(200).optional(),
  textContains: z.string().regex(/\S/).max(200).optional(),
  minScore: score.optional(),
  property: z.string().min(1).max(64),
  value: z.union([z.string().max(4_000), z.number(), z.boolean(), z.array(z.union([z.string().max(4_000), z.number()])).max(100)]),
})
type Rule = z.infer<typeof rule>
const rules = z.array(rule).min(1).max(mostRules)
const said = z.object({ rules, askBelow: score.optional() })

/** What is wrong is told by `findProblems`. */
function rulesOf(values: Values): readonly Rule[] {
  const read = rules.safeParse(values['rules'])
  return read.success ? read.data : []
}

const wordsIn = (text = '') =>
  text
    .split(/\s+/)
    .filter((word) => word !== '')
    .slice(0, 20)

const isNumber = (value: unknown): value is number => typeof value === 'number'

/** Surely enough by the picture's labels, or by its text, which is there or is not. */
function conditionOf({ label, textContains, minScore = 0 }: Rule, askBelow: unknown) {
  // The words of a sign stand on lines of their own, or a table's between them.
  if (label === undefined) return wordsIn(textContains).map((value) => ({ property: '$steps.look.text', op: 'contains', value }))
  const least = Math.max(minScore, isNumber(askBelow) ? askBelow : 0)
  const groups = Array.from({ length: labels }, (_, at) => ({
    logic: 'AND',
    rules: [
      { property: `$steps.look.labels[${at}].label`, op: 'eq', value: label },
      { property: `$steps.look.labels[${at}].score`, op: 'gte', value: least },
    ],
  }))
  return { logic: 'OR', groups }
}

const wordsOf = (value: Rule['value']) => (Array.isArray(value) ? value.join(', ') : String(value)).slice(0, 100)

/** Of each property: what it may become, and by which rules. */
function decisionsOf(all: readonly Rule[]) {
  return [...Map.groupBy(all, ({ property }) => property)].map(([property, own], index) => ({
    property,
    index,
    rules: own,
    values: [...new Map(own.map(({ value }) => [JSON.stringify(value), value])).values()],
  }))
}
type Decision = ReturnType<typeof decisionsOf>[number]

/** A rule that holds surely leads to its value; where none does, somebody is asked, and what they choose leads there. */
function stepsOf({ property, index, rules: own, values }: Decision, { askTo, askBelow }: Values, next: string) {
  const writes = (value: Rule['value']) => `write${index}_${values.findIndex((one) => JSON.stringify(one) === JSON.stringify(value))}`
  const decide = {
    internalName: `decide${index}`,
    stepType: 'decide',
    config: {},
    branches: own.map((one) => ({ when: conditionOf(one, askBelow), goTo: writes(one.value) })),
    next: askTo === undefined ? next : `ask${index}`,
  }
  const ask = {
    internalName: `ask${index}`,
    stepType: 'ask',
    config: {
      to: '[[$settings.askTo]]',
      text: '[[$settings.question]]',
      card: { imageAssetKey: '[[$trigger.assetKey]]' },
      choices: [
        ...values.map((value, at) => ({ key: `value${at}`, label: wordsOf(value) || '–' })),
        { key: 'none', label: 'None of these' },
      ],
    },
    branches: values.map((value, at) => ({
      when: [{ property: `$steps.ask${index}.choice`, op: 'eq', value: `value${at}` }],
      goTo: writes(value),
    })),
    next,
  }
  const written = values.map((value) => ({
    internalName: writes(value),
    stepType: 'saveRecord',
    config: { entity: '[[$settings.entity]]', eiRecordId: '[[$trigger.eiRecordId]]', values: { [property]: value } },
    next,
  }))
  return [decide, ...(askTo === undefined ? [] : [ask]), ...written]
}

function stepsFor(values: Values) {
  const all = rulesOf(values)
  const decisions = decisionsOf(all)
  const look = {
    internalName: 'look',
    stepType: 'recognise',
    config: {
      asset: '[[$trigger.assetKey]]',
      ocr: all.some(({ textContains }) => textContains !== undefined),
      classify: all.some(({ label }) => label !== undefined),
    },
    // Of what cannot be looked at nothing is sure: no rule holds, and a person is asked.
    ...(values['askTo'] === undefined ? {} : { onError: { goTo: 'decide0' } }),
  }
  return [look, ...decisions.flatMap((one, at) => stepsOf(one, values, at + 1 < decisions.length ? `decide${at + 1}` : 'end'))]
}

function findProblems(values: Values) {
  const { rules: given, askTo, askBelow: least } = values
  const read = readDraft(said, { rules: given, ...(least === undefined ? {} : { askBelow: least }) }, '$.settings')
  if (!read.isOk) return [...read.findings]
  const { rules: all, askBelow } = read.value
  const ofRules = all.flatMap(({ label, textContains }, index) =>
    (label === undefined) === (textContains === undefined)
      ? [finding(`$.settings.rules[${index}]`, 'Exactly one of label and textContains.')]
      : [],
  )
  const crowded = askTo === undefined ? undefined : decisionsOf(all).find((one) => one.values.length > mostChoices)
  return [
    ...ofRules,
    ...findShapeProblems({ askTo: person.optional() }, values),
    ...(askBelow !== undefined && askTo === undefined ? [finding('$.settings.askTo', 'Needed beside askBelow: who is asked.')] : []),
    ...(crowded
      ? [
          finding(
            '$.settings.rules',
            `A question offers at most ${mostChoices} values of ${crowded.property}. Leave askTo out, or name fewer.`,
          ),
        ]
      : []),
  ]
}

export const photoTriage: ShippedPack = {
  packId: 3,
  manifest: {
    internalName: 'photoTriage',
    version: '1.0.0',
    displays: [
      { languageCode: 'en-US', name: 'Photo triage' },
      { languageCode: 'de-DE', name: 'Fotos einordnen' },
      { languageCode: 'fr-FR', name: 'Tri des photos' },
      { languageCode: 'es-ES', name: 'Clasificar fotos' },
    ],
    description: 'Label and text of a saved photograph decide a property; where they are not sure enough, a person is asked.',
    iconKey: 'camera',
    entity: '[[$settings.entity]]',
    settings: [
      { name: 'entity', dataType: 'Text', isRequired: true, description: 'Whose records' },
      { name: 'photoProperty', dataType: 'Text', isRequired: true, description: 'The property with the photograph' },
      {
        name: 'rules',
        dataType: 'Json',
        isRequired: true,
        description: '[{label or textContains, minScore?, property, value}]; the first that holds',
      },
      { name: 'askBelow', dataType: 'Number', description: 'A label with a lower score, from 0 to 1, decides nothing' },
      { name: 'askTo', dataType: 'Json', description: 'An assignee: asked where no rule holds surely' },
      { name: 'question', dataType: 'Text', value: 'What does this photograph show?', description: 'May hold tokens of the record' },
    ],
    roles: ['DataView', 'DataEdit'],
    triggers: [
      {
        internalName: 'saved',
        triggerType: 'attachmentSaved',
        config: { entity: '[[$settings.entity]]', property: '[[$settings.photoProperty]]', when: 'saved' },
      },
    ],
    steps: stepsFor({
      rules: [{ label: '[[$settings.rules]]', property: '[[$settings.rules]]', value: '[[$settings.rules]]' }],
      askTo: {},
    }),
    needs: { entities: ['[[$settings.entity]]'] },
  },
  stepsFor,
  findProblems,
  propertiesIn: (values) => [
    { at: 'photoProperty', name: values['photoProperty'], types: ['Attachment'] },
    ...rulesOf(values).map(({ property, value }, index) => ({
      at: `rules[${index}].property`,
      name: property,
      value,
      written: [{ at: `rules[${index}].value`, value }],
    })),
  ],
}
