/** Reference pages of what workflows are made of: each type of step, and each type of trigger, from what the engine itself reads. */
import type { JsonSchema } from '#platform/json-schema.ts'
import { stepTypeVocabulary, triggerTypeVocabulary } from '#tools/workflows/service.ts'

import { fieldRows } from './fields.ts'
import { table } from './markdown.ts'

const kinds = {
  act: 'It acts, and the run goes on.',
  wait: 'It waits for a person, a time or an event.',
  branch: 'It decides where the run goes.',
  lanes: 'It holds lanes of steps.',
  loop: 'It holds steps that are carried out for each item.',
  end: 'It ends the run.',
} as const

function configOf(schema: JsonSchema): string {
  const rows = fieldRows(schema)
  if (rows.length === 0) return 'Its `config` is empty.'
  return `**config**\n\n${table(
    ['field', 'type', 'required', 'about'],
    rows.map(({ path, type, isRequired, description }) => [`\`${path}\``, type, isRequired ? 'yes' : '', description]),
  )}`
}

const example = (value: unknown) => `Example:\n\n\`\`\`json\n${JSON.stringify(value, undefined, 2)}\n\`\`\``

const tokens = (root: string, names: readonly string[]) => names.map((name) => `\`[[${root}.${name}]]\``).join(', ')

function page(
  title: string,
  summary: string,
  types: readonly { readonly internalName: string; readonly description: string }[],
  sections: readonly string[],
): string {
  const overview = table(
    ['type', 'what it does'],
    types.map(({ internalName, description }) => [`[\`${internalName}\`](#${internalName.toLowerCase()})`, description]),
  )
  return `${[`# ${title}`, summary, overview, ...sections].join('\n\n')}\n`
}

export function stepTypesPage(): string {
  const sections = stepTypeVocabulary.map(({ internalName, description, kind, config, result, actions, roles, example: said }) => {
    const left =
      result.length > 0
        ? `Afterwards tokens read ${tokens('$steps.one', result)}, of a step named one.`
        : kind === 'act' || kind === 'wait'
          ? 'What it leaves is read as `[[$steps.one]]`, of a step named one.'
          : ''
    const facts = [
      kinds[kind],
      left,
      actions.length > 0 ? `Its actions unless told: ${actions.map((one) => `\`${one}\``).join(', ')}.` : '',
      roles.length > 0 ? `The run needs ${roles.join(' and ')}.` : '',
    ]
    const step = { internalName: 'one', stepType: internalName, config: said }
    return [`## ${internalName}`, description, facts.filter(Boolean).join(' '), configOf(config), example(step)].join('\n\n')
  })
  const summary =
    'Every type of step of a workflow: what its `config` takes, what it leaves for tokens, and an example. What all steps may have beside it (`next`, `when`, `branches`, `onError`, `retry`, `compensate`) stands in the [guide](../guides/workflows.md).'
  return page('Types of steps', summary, stepTypeVocabulary, sections)
}

export function triggerTypesPage(): string {
  const sections = triggerTypeVocabulary.map(({ internalName, description, config, payload, example: said }) =>
    [
      `## ${internalName}`,
      description,
      `In the run tokens read ${tokens('$trigger', payload)}.`,
      configOf(config),
      example({ triggerType: internalName, config: said }),
    ].join('\n\n'),
  )
  const summary =
    'Every type of trigger of a workflow: what its `config` takes, what `$trigger` holds then, and an example. How triggers are set stands in the [guide](../guides/workflows.md).'
  return page('Types of triggers', summary, triggerTypeVocabulary, sections)
}
