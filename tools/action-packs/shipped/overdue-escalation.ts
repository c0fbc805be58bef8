import type { Values } from '../settings.rules.ts'
import { duration, findShapeProblems, person } from './shapes.rules.ts'
import type { ShippedPack } from './shipped.types.ts'

const text = (en: string, de: string, fr: string, es: string) => [
  { languageCode: 'en-US', name: en },
  { languageCode: 'de-DE', name: de },
  { languageCode: 'fr-FR', name: fr },
  { languageCode: 'es-ES', name: es },
]

/** A filter as a group, whichever way it was written. It stands there by its setting, so that findings name that. */
function groupsOf({ filter }: Values): unknown[] {
  if (filter === undefined) return []
  return [Array.isArray(filter) ? { logic: 'AND', rules: '[[$settings.filter]]' } : '[[$settings.filter]]']
}

/**
 * Each time it looks, it begins a run of its own for each record whose date has passed since: that run reminds, waits, looks again, and tells the next. What
 * was begun for a record and its date is not begun again.
 */
function stepsFor(values: Values) {
  const due = String(values['dueProperty'])
  const stillDue = { logic: 'AND', rules: [{ property: due, op: 'lt', value: 'now' }], groups: groupsOf(values) }
  const begin = {
    internalName: 'begin',
    stepType: 'callOperation',
    config: { operation: 'fire_action_pack_install', input: { installId: '[[$run.installId]]', eiRecordId: '[[$item.data.eiRecordId]]' } },
    onError: 'continue',
  }
  return [
    {
      internalName: 'which',
      stepType: 'decide',
      config: {},
      branches: [{ when: [{ property: '$trigger.eiRecordId', op: 'isNotEmpty' }], goTo: 'remind' }],
    },
    {
      internalName: 'find',
      stepType: 'runReport',
      config: {
        definitionJson: {
          primaryEntityId: '[[$settings.entity]]',
          columns: [
            { property: 'eiRecordId', alias: 'eiRecordId' },
            { property: '[[$settings.dueProperty]]', alias: 'due' },
          ],
          filters: stillDue,
          // The latest first: those that come next are among them, however many are overdue.
          sort: [{ property: 'due', direction: 'desc' }],
        },
      },
    },
    {
      internalName: 'each',
      stepType: 'forEach',
      config: { over: '[[$steps.find.rows]]', once: ['data.eiRecordId', 'data.due'], maxParallel: 4, steps: [begin] },
      next: 'end',
    },
    {
      internalName: 'remind',
      stepType: 'notify',
      config: { to: '[[$settings.remindTo]]', text: '[[$settings.text]]' },
      onError: 'continue',
    },
    { internalName: 'patience', stepType: 'wait', config: { for: '[[$settings.escalateAfter]]' } },
    {
      internalName: 'escalate',
      stepType: 'notify',
      when: stillDue,
      config: { to: '[[$settings.escalateTo]]', text: '[[$settings.text]]' },
    },
  ]
}

export const overdueEscalation: ShippedPack = {
  packId: 1,
  manifest: {
    internalName: 'overdueEscalation',
    version: '1.0.0',
    displays: text('Overdue escalation', 'Eskalation bei Überfälligkeit', 'Escalade des retards', 'Escalada de atrasos'),
    description: 'Reminds who is responsible once the date of a record has passed, and tells the next after a while, once each.',
    iconKey: 'alarm',
    entity: '[[$settings.entity]]',
    settings: [
      { name: 'entity', dataType: 'Text', isRequired: true, description: 'Whose records' },
      { name: 'dueProperty', dataType: 'Text', isRequired: true, description: 'The property with the date' },
      { name: 'filter', dataType: 'Json', description: 'Which of them: those that are not done' },
      { name: 'remindTo', dataType: 'Json', isRequired: true, description: 'An assignee: {tenantUserId}, {role}, {property} …' },
      { name: 'escalateTo', dataType: 'Json', isRequired: true, description: 'An assignee' },
      { name: 'escalateAfter', dataType: 'Text', value: 'P1D', description: 'ISO 8601, after the reminder' },
      { name: 'every', dataType: 'Text', value: 'PT1H', description: 'How often it looks' },
      {
        name: 'text',
        dataType: 'Text',
        value: 'A date has passed: record [[$trigger.eiRecordId]].',
        description: 'May hold tokens of the record',
      },
    ],
    roles: ['DataView', 'DataEdit'],
    triggers: [
      { internalName: 'looks', triggerType: 'schedule', config: { every: '[[$settings.every]]' } },
      { internalName: 'byHand', triggerType: 'manual', config: {} },
    ],
    steps: stepsFor({ dueProperty: '[[$settings.dueProperty]]' }),
    needs: { entities: ['[[$settings.entity]]'] },
  },
  stepsFor,
  findProblems: (values) => findShapeProblems({ remindTo: person, escalateTo: person, escalateAfter: duration, every: duration }, values),
  propertiesIn: ({ dueProperty }) => [{ at: 'dueProperty', name: dueProperty, types: ['DateTime', 'DateOnly'] }],
}
