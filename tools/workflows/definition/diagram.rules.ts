/** A definition as a Mermaid flowchart: steps, where they lead, lanes and loops around what stands in them. */
import { isObject, listIn, type WorkflowBody } from './definition.types.ts'
import { end } from './grammar.schema.ts'
import { fallsThrough, waysOf } from './targets.rules.ts'
import { listsWithin, type PlacedStep, type StepList, stepsOf, topOf } from './walking.rules.ts'

const maxLabel = 60

/** What Mermaid would read as more than text is left out. */
function label(text: unknown): string {
  const plain = String(text)
    .replaceAll(/[^\p{L}\p{N} .,:?!_-]/gu, ' ')
    .trim()
  return plain.length > maxLabel ? `${plain.slice(0, maxLabel)}…` : plain
}

interface Drawing {
  readonly lines: string[]
  readonly ids: Map<unknown, string>
}

function idOf({ ids }: Drawing, key: unknown): string {
  const known = ids.get(key) ?? `n${ids.size}`
  ids.set(key, known)
  return known
}

function nodeOf(drawing: Drawing, { said, type }: PlacedStep): string {
  const text = `${label(said['internalName'])}: ${label(said['stepType'] ?? '')}`
  const id = idOf(drawing, said)
  if (type?.kind === 'branch') return `${id}{"${text}"}`
  return type?.kind === 'wait' ? `${id}(["${text}"])` : `${id}["${text}"]`
}

/** What stands on an arrow: the action, or what leads there. */
function wordOf(step: PlacedStep, at: readonly (string | number)[]): string {
  const [field, index] = at.slice(step.at.length)
  if (field === 'next') return ''
  const part = typeof index === 'number' ? listIn(step.said[String(field)])[index] : undefined
  if (field === 'actions' && isObject(part)) return label(part['internalName'])
  return field === 'branches' ? 'if' : label(field === 'config' ? 'timeout' : field)
}

function drawList(drawing: Drawing, list: StepList): void {
  const steps = stepsOf(list)
  const named = new Map(steps.map(({ said }) => [said['internalName'], said]))
  const endOf = () => {
    const id = idOf(drawing, list)
    if (!drawing.lines.includes(`${id}(("end"))`)) drawing.lines.push(`${id}(("end"))`)
    return id
  }
  for (const [index, step] of steps.entries()) {
    drawing.lines.push(nodeOf(drawing, step))
    const from = idOf(drawing, step.said)
    const following = steps[index + 1]
    for (const { target, at } of waysOf(step)) {
      const to = target === end ? endOf() : named.has(target) ? idOf(drawing, named.get(target)) : undefined
      const word = wordOf(step, at)
      if (to !== undefined) drawing.lines.push(word === '' ? `${from} --> ${to}` : `${from} -->|${word}| ${to}`)
    }
    if (step.said['next'] === undefined && following && fallsThrough(step))
      drawing.lines.push(`${from} --> ${idOf(drawing, following.said)}`)
    for (const inner of listsWithin(step)) {
      const [first] = stepsOf(inner)
      drawList(drawing, inner)
      if (first) drawing.lines.push(`${from} -.-> ${idOf(drawing, first.said)}`)
    }
  }
}

export function mermaidOf(body: Pick<WorkflowBody, 'steps'>): string {
  const drawing: Drawing = { lines: [], ids: new Map() }
  drawList(drawing, topOf(body))
  return ['flowchart TD', ...drawing.lines].join('\n')
}
