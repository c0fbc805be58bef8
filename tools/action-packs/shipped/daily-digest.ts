import { z } from 'zod'

import { finding } from '#platform/findings.ts'

import type { Values } from '../settings.rules.ts'
import { findShapeProblems, person } from './shapes.rules.ts'
import type { ShippedPack } from './shipped.types.ts'

const most = 20

const receivers = ({ to }: Values): readonly unknown[] => (Array.isArray(to) ? to.slice(0, most) : [])

/**
 * Whose hour has come has a run of their own, so that what fails for one concerns nobody else, and none of them gets it twice. Fired by hand, it goes to
 * everybody at once.
 */
function stepsFor(values: Values) {
  const message = {
    channel: '[[$settings.channel]]',
    text: '[[$settings.report]]: [[$steps.rows.totalCount]]\n\n[[$steps.rows.text]]',
  }
  const when = values['onlyWhenRows'] === false ? {} : { when: [{ property: '$steps.rows.totalCount', op: 'gt', value: 0 }] }
  const tell = { stepType: 'notify', ...when }
  return [
    {
      internalName: 'rows',
      stepType: 'runReport',
      config: {
        report: '[[$settings.report]]',
        asText: { languageCode: '[[$trigger.languageCode]]', timeZone: '[[$trigger.timeZone]]' },
      },
      branches: [{ when: [{ property: '$trigger.tenantUserId', op: 'isEmpty' }], goTo: 'tell1' }],
    },
    { internalName: 'tell', ...tell, config: { to: { tenantUserId: '[[$trigger.tenantUserId]]' }, ...message }, next: 'end' },
    ...receivers(values).map((to, index) => ({
      internalName: `tell${index + 1}`,
      ...tell,
      config: { to, ...message },
      onError: 'continue',
    })),
  ]
}

export const dailyDigest: ShippedPack = {
  packId: 2,
  manifest: {
    internalName: 'dailyDigest',
    version: '1.0.0',
    displays: [
      { languageCode: 'en-US', name: 'Daily digest' },
      { languageCode: 'de-DE', name: 'Tägliche Übersicht' },
      { languageCode: 'fr-FR', name: 'Résumé quotidien' },
      { languageCode: 'es-ES', name: 'Resumen diario' },
    ],
    description: 'Sends the rows of a report to people each day, at an hour of theirs.',
    iconKey: 'newspaper',
    settings: [
      { name: 'report', dataType: 'Text', isRequired: true, description: 'A saved report' },
      { name: 'to', dataType: 'Json', isRequired: true, description: 'Assignees: [{tenantUserId}, {role}, {people} …]' },
      { name: 'at', dataType: 'TimeOnly', value: '07:00', description: 'In the zone of each of them' },
      { name: 'channel', dataType: 'Text', description: 'The one that each prefers unless told' },
      { name: 'onlyWhenRows', dataType: 'Boolean', value: true, description: 'Nothing is sent while the report has no rows' },
    ],
    roles: ['DataView', 'DataEdit'],
    triggers: [
      { internalName: 'mornings', triggerType: 'schedule', config: { people: '[[$settings.to]]', at: '[[$settings.at]]' } },
      { internalName: 'byHand', triggerType: 'manual', config: {} },
    ],
    steps: stepsFor({ to: ['[[$settings.to]]'] }),
    needs: { channels: ['[[$settings.channel]]'] },
  },
  stepsFor,
  findProblems: ({ to }) =>
    Array.isArray(to) && to.length > 0 && to.length <= most
      ? findShapeProblems({ to: z.array(person) }, { to })
      : [finding('$.settings.to', `A list of 1 to ${most} assignees, such as [{"role": "DataView"}].`)],
}
