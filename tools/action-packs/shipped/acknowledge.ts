import { choices as choicesInput, findShapeProblems, person } from './shapes.rules.ts'
import type { ShippedPack } from './shipped.types.ts'

/** What may be answered is what may be written. */
function keysOf(choices: unknown) {
  const read = choicesInput.safeParse(choices)
  return read.success ? read.data.map(({ key }, index) => ({ at: `choices[${index}].key`, value: key })) : []
}

const answer = '[[$settings.answerProperty]]'

export const acknowledge: ShippedPack = {
  packId: 4,
  manifest: {
    internalName: 'acknowledge',
    version: '1.0.0',
    displays: [
      { languageCode: 'en-US', name: 'Acknowledge' },
      { languageCode: 'de-DE', name: 'Bestätigen lassen' },
      { languageCode: 'fr-FR', name: 'Faire confirmer' },
      { languageCode: 'es-ES', name: 'Pedir confirmación' },
    ],
    description: 'Asks a person over their channel about a record and writes the answer to it.',
    iconKey: 'check',
    entity: '[[$settings.entity]]',
    // Asked once, however often the record is saved while the answer is awaited.
    concurrency: 'skipIfRunning',
    settings: [
      { name: 'entity', dataType: 'Text', isRequired: true, description: 'Whose records' },
      { name: 'whenFilter', dataType: 'Json', isRequired: true, description: 'Of which records, when they are saved so' },
      { name: 'to', dataType: 'Json', isRequired: true, description: 'An assignee: {tenantUserId}, {role}, {property} …' },
      { name: 'question', dataType: 'Text', isRequired: true, description: 'May hold tokens of the record' },
      { name: 'choices', dataType: 'Json', isRequired: true, description: '[{key, label}]' },
      { name: 'answerProperty', dataType: 'Text', isRequired: true, description: 'Takes the key; asked while it is empty' },
      { name: 'byProperty', dataType: 'Text', description: 'A Number: who answered' },
      { name: 'atProperty', dataType: 'Text', description: 'A DateTime: when' },
    ],
    roles: ['DataView', 'DataEdit'],
    triggers: [
      { triggerType: 'recordCreated', config: { entity: '[[$settings.entity]]' }, filter: '[[$settings.whenFilter]]' },
      { triggerType: 'recordUpdated', config: { entity: '[[$settings.entity]]' }, filter: '[[$settings.whenFilter]]' },
      { triggerType: 'manual', config: {} },
    ],
    steps: [
      {
        internalName: 'ask',
        stepType: 'ask',
        when: [{ property: answer, op: 'isEmpty' }],
        config: { to: '[[$settings.to]]', text: '[[$settings.question]]', choices: '[[$settings.choices]]' },
      },
      {
        internalName: 'write',
        stepType: 'saveRecord',
        when: [{ property: '$steps.ask.choice', op: 'isNotEmpty' }],
        config: {
          entity: '[[$settings.entity]]',
          eiRecordId: '[[$trigger.eiRecordId]]',
          values: {
            [answer]: '[[$steps.ask.choice]]',
            '[[$settings.byProperty]]': '[[$steps.ask.by]]',
            '[[$settings.atProperty]]': '[[$steps.ask.at]]',
          },
        },
      },
    ],
    needs: { entities: ['[[$settings.entity]]'] },
  },
  findProblems: (values) => findShapeProblems({ to: person, choices: choicesInput }, values),
  propertiesIn: ({ answerProperty, byProperty, atProperty, choices }) => [
    { at: 'answerProperty', name: answerProperty, types: ['Text', 'Choice', 'Hierarchy'], written: keysOf(choices) },
    { at: 'byProperty', name: byProperty, types: ['Number'] },
    { at: 'atProperty', name: atProperty, types: ['DateTime'] },
  ],
}
