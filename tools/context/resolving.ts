/** A text with tokens over the bundle of a context, for the caller's language and time zone. */
import { AppError } from '#platform/errors.ts'
import { findDisplayLanguages } from '#platform/db/display-language.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { unknownPaths } from '#platform/tokens/check.ts'
import type { Format, Rendering } from '#platform/tokens/rendering.ts'
import { resolveText } from '#platform/tokens/resolve.ts'
import { parseTemplate, type Template } from '#platform/tokens/template.ts'
import { listOptionDisplays, shownIn } from '#tools/properties/service.ts'

import { planFor, type Plan } from './context.rules.ts'
import { type Anchor, hydrate } from './hydrating.ts'
import { resolvingOver } from './roots.ts'
import { labelsOf, shapesOf } from './shapes.rules.ts'

/** The text, read. Throws 400 where a token cannot be. */
export function readText(text: string): Template {
  const template = parseTemplate(text)
  const { faults } = template
  const [first] = faults
  if (!first) return template
  const issues = faults.map(({ message, suggestion }) => finding('$.text', message, { suggestion }))
  throw new AppError('invalid_input', `The text cannot be read: ${first.message}`, { issues })
}

function tokensOf({ parts }: Template) {
  return parts.filter((part) => typeof part !== 'string')
}

/** What the options are called that the text shows by their labels; nothing is read where it shows none. */
async function readLabels(context: TxContext, plan: Plan, template: Template): Promise<Rendering['labelOf']> {
  if (!tokensOf(template).some(({ filters }) => filters.some(({ name }) => name === 'label'))) return undefined
  const properties = labelsOf(plan)
  const ids = [...properties.values()].flatMap(({ options }) => options.map((option) => option.optionId))
  const displays = Map.groupBy(await listOptionDisplays(context.tx, context.tenantId, [...new Set(ids)]), (row) => row.optionId)
  const languages = await findDisplayLanguages(context)
  return (names, value) => {
    const option = properties.get(names.join('.'))?.options.find((one) => one.internalName === value)
    return option && shownIn(displays.get(option.optionId) ?? [], languages, option.internalName).name
  }
}

export interface Wanted {
  readonly anchor: Anchor
  readonly asOf: string | undefined
  readonly format: Format
}

/** Reads as much of the bundle as the text names, and resolves it. */
export async function resolveFor(
  context: TxContext,
  whole: Plan,
  template: Template,
  { anchor, asOf, format }: Wanted,
): Promise<{ readonly text: string; readonly unresolved: readonly string[] }> {
  const plan = planFor(whole, new Set(tokensOf(template).map(({ path }) => path[0].name)))
  const { data } = await hydrate(context, plan, anchor, asOf)
  const at = await resolvingOver(context, data, await readLabels(context, plan, template))
  const text = resolveText(template, at, format)
  // By what there is to name, not by what there was: a default may stand in for a mistake, and is not to hide it.
  return { text, unresolved: unknownPaths(template, shapesOf(whole)) }
}
