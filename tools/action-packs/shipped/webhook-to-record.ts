import { finding } from '#platform/findings.ts'
import { parseTemplate, soleToken } from '#platform/tokens/template.ts'

import type { Values } from '../settings.rules.ts'
import type { ShippedPack } from './shipped.types.ts'

const keys = ['key1', 'key2', 'key3']

function mappingOf({ mapping }: Values): readonly (readonly [string, string])[] {
  if (typeof mapping !== 'object' || mapping === null) return []
  return Object.entries(mapping).flatMap(([name, path]): [string, string][] => (typeof path === 'string' ? [[name, path]] : []))
}

const body = '$trigger.body'
const item = '$item'

const tokenOf = (root: string, path: string) => `[[${root}.${path}]]`

/** Whether it leads to one value; a filter may follow, as in any token. */
const isPath = (root: string, path: unknown): path is string =>
  typeof path === 'string' && soleToken(parseTemplate(tokenOf(root, path))) !== undefined

const ofNames = 'names of letters, digits, _ and - with dots between, such as customer.name or lines[0].sku'

/** One save of what stands under a root: the body, or an item of it. Keys are texts, whatever the sender writes. */
function save(values: Values, root: string) {
  const mapping = mappingOf(values)
  const at = (path: string) => tokenOf(root, path)
  // A key that is not there is null, which is refused: an empty one would make a record without a key at each delivery.
  const key = (path: string) => ({ $expr: ['if', ['=', ['concat', at(path)], ''], null, ['concat', at(path)]] })
  return {
    internalName: 'save',
    stepType: 'callOperation',
    config: {
      operation: 'save_instance',
      input: {
        entity: '[[$settings.entity]]',
        importMode: '[[$settings.importMode]]',
        ...Object.fromEntries(mapping.filter(([name]) => keys.includes(name)).map(([name, path]) => [name, key(path)])),
        // What the sender does not speak of stays as it is.
        data: { $given: Object.fromEntries(mapping.filter(([name]) => !keys.includes(name)).map(([name, path]) => [name, at(path)])) },
      },
    },
  }
}

function stepsFor(values: Values) {
  const { itemsAt } = values
  if (typeof itemsAt !== 'string')
    return [save(values, body), { internalName: 'answer', stepType: 'end', config: { state: 'completed', output: '[[$steps.save]]' } }]
  return [
    {
      internalName: 'each',
      stepType: 'forEach',
      config: { over: tokenOf(body, itemsAt), steps: [{ ...save(values, item), onError: 'continue' }] },
    },
    {
      internalName: 'answer',
      stepType: 'end',
      config: {
        state: 'completed',
        output: { items: '[[$steps.each.items]]', failed: '[[$steps.each.failed]]', errors: '[[$steps.each.errors]]' },
      },
    },
  ]
}

export const webhookToRecord: ShippedPack = {
  packId: 5,
  manifest: {
    internalName: 'webhookToRecord',
    version: '1.0.0',
    displays: [
      { languageCode: 'en-US', name: 'Webhook to record' },
      { languageCode: 'de-DE', name: 'Webhook wird Datensatz' },
      { languageCode: 'fr-FR', name: 'Webhook vers fiche' },
      { languageCode: 'es-ES', name: 'Webhook a registro' },
    ],
    description: 'Saves what a signed webhook brings as one record or many, and answers what became of them.',
    iconKey: 'webhook',
    settings: [
      { name: 'entity', dataType: 'Text', isRequired: true, description: 'Whose records' },
      { name: 'mapping', dataType: 'Json', isRequired: true, description: '{property or key1..3: path in the body, or in an item}' },
      { name: 'itemsAt', dataType: 'Text', description: 'The path of a list in the body: a record for each item' },
      {
        name: 'importMode',
        dataType: 'Text',
        options: ['upsert', 'overwrite', 'insertOnly'],
        description: 'As save_instance takes it',
      },
    ],
    roles: ['DataView', 'DataEdit'],
    triggers: [{ triggerType: 'webhookReceived', config: { scheme: 'standardWebhooks', respond: 'result' } }],
    steps: stepsFor({ mapping: { key1: 'id' } }),
    needs: { entities: ['[[$settings.entity]]'] },
  },
  stepsFor,
  propertiesIn: (values) => mappingOf(values).flatMap(([name]) => (keys.includes(name) ? [] : [{ at: `mapping.${name}`, name }])),
  findProblems({ mapping, itemsAt }) {
    if (itemsAt !== undefined && !isPath(body, itemsAt))
      return [finding('$.settings.itemsAt', `The path of a list in the body: ${ofNames}.`)]
    const root = itemsAt === undefined ? body : item
    const paths = Array.isArray(mapping) ? [] : Object.entries(mapping ?? {})
    if (paths.length === 0)
      return [finding('$.settings.mapping', 'An object of at least one property or key1 to key3, each with its path.')]
    return paths.flatMap(([name, path]) =>
      isPath(root, path) ? [] : [finding(`$.settings.mapping.${name}`, `A path in the body, or in each item: ${ofNames}.`)],
    )
  },
}
