/** A definition as a Mermaid flowchart: steps, where they lead, lanes and loops around what stands in them. */
import { isObject, listIn, type Said, type WorkflowBody } from './definition.types.ts'
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

/** How far a step is in a run: as it was carried out last, and how often in all. */
export interface StepMark {
  readonly state: 'active' | 'waiting' | 'done' | 'skipped' | 'failed' | 'compensated'
  readonly times: number
}

interface Drawing {
  /** Before the arrows: what an arrow names first, the drawing shows by its id. */
  readonly nodes: string[]
  readonly arrows: string[]
  readonly ids: Map<unknown, string>
  /** Of a run: by the names of its steps. */
  readonly marks: ReadonlyMap<unknown, StepMark> | undefined
}

/** Said in a word as well, so that nobody depends on how it looks; of these alone the frame differs. */
const frames = { active: 'stroke-width:3px', waiting: 'stroke-width:3px', failed: 'stroke-width:3px,stroke-dasharray:6' } as const

const isFramed = (state: StepMark['state']): state is keyof typeof frames => state in frames

function markOf({ marks }: Drawing, said: Said): string {
  const mark = marks?.get(said['internalName'])
  if (!mark) return ''
  return mark.times > 1 ? ` · ${mark.state}, ${mark.times} times` : ` · ${mark.state}`
}

function idOf({ ids }: Drawing, key: unknown): string {
  const known = ids.get(key) ?? `n${ids.size}`
  ids.set(key, known)
  return known
}

function nodeOf(drawing: Drawing, { said, type }: PlacedStep): string {
  const text = `${label(said['internalName'])}: ${label(said['stepType'] ?? '')}${markOf(drawing, said)}`
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
    if (!drawing.nodes.includes(`${id}(("end"))`)) drawing.nodes.push(`${id}(("end"))`)
    return id
  }
  for (const [index, step] of steps.entries()) {
    drawing.nodes.push(nodeOf(drawing, step))
    const from = idOf(drawing, step.said)
    const state = drawing.marks?.get(step.said['internalName'])?.state
    if (state && isFramed(state)) drawing.nodes.push(`style ${from} ${frames[state]}`)
    const following = steps[index + 1]
    for (const { target, at } of waysOf(step)) {
      const to = target === end ? endOf() : named.has(target) ? idOf(drawing, named.get(target)) : undefined
      const word = wordOf(step, at)
      if (to !== undefined) drawing.arrows.push(word === '' ? `${from} --> ${to}` : `${from} -->|${word}| ${to}`)
    }
    if (step.said['next'] === undefined && following && fallsThrough(step))
      drawing.arrows.push(`${from} --> ${idOf(drawing, following.said)}`)
    for (const inner of listsWithin(step)) {
      const [first] = stepsOf(inner)
      drawList(drawing, inner)
      if (first) drawing.arrows.push(`${from} -.-> ${idOf(drawing, first.said)}`)
    }
  }
}

/** `marks`: of a run that follows it. */
export function mermaidOf(body: Pick<WorkflowBody, 'steps'>, marks?: ReadonlyMap<unknown, StepMark>): string {
  const drawing: Drawing = { nodes: [], arrows: [], ids: new Map(), marks }
  drawList(drawing, topOf(body))
  return ['flowchart TD', ...drawing.nodes, ...drawing.arrows].join('\n')
}
