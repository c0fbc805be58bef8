/** The static side: what is wrong with the tokens of a definition before anything is resolved, each finding with its JSON path and the nearest name. */
import { nearest, quoted } from '../suggest.ts'
import { finding, type Finding, maxFindings } from '../validation.ts'
import { isExpression, parseExpression, templatesOf } from './expression.ts'
import { type Shape, type Shapes, shown } from './shape.ts'
import { signatureOf } from './signatures.ts'
import { mayHoldTokens, parseTemplate, printPath, type Segment, soleToken, type Template, type Token } from './template.ts'

const maxDepth = 64
const maxNodes = 50_000
/** Of all texts together; reading so many takes some tens of milliseconds. */
const maxTokensChecked = 5_000

/** What there is to name, and what is found. */
interface Checking {
  readonly roots: Shapes
  readonly findings: Finding[]
  nodes: number
  tokens: number
  isTold: boolean
}

type Reached = { readonly shape: Shape } | { readonly message: string; readonly suggestion?: string }

/** Own names alone, as in resolving. */
function fieldOf(fields: Shapes, name: string): Shape | undefined {
  return Object.hasOwn(fields, name) ? fields[name] : undefined
}

function nameIn(fields: Shapes, { name }: Segment, where: string): Reached {
  const shape = fieldOf(fields, name)
  if (shape) return { shape }
  const names = Object.keys(fields)
  const suggestion = nearest(name, names)
  const list = names.length === 0 ? '' : ` ${where}: ${names.slice(0, 30).join(', ')}${names.length > 30 ? ', …' : ''}.`
  const message = `There is no ${quoted(name)}.${list}`
  return suggestion === undefined ? { message } : { message, suggestion }
}

function elementIn(shape: Shape, { name, index }: Segment): Reached {
  if (index === undefined || shape.kind === 'any') return { shape }
  if (shape.kind !== 'list') return { message: `${quoted(name)} is no list; leave [${index}] out.`, suggestion: name }
  return { shape: index === '*' ? shape : shape.of }
}

function step(shape: Shape, segment: Segment, before: readonly Segment[]): Reached {
  const path = printPath(before)
  if (shape.kind === 'any') return { shape }
  if (shape.kind === 'list') {
    // Behind [*] a name is taken of each element, and the result is a list again.
    if (before.at(-1)?.index !== '*')
      return { message: `${path} is a list. Say which of it: ${path}[first], ${path}[0] or ${path}[*].`, suggestion: `${path}[first]` }
    const found = step(shape.of, segment, [])
    if ('message' in found) return found
    return { shape: found.shape.kind === 'list' ? found.shape : { kind: 'list', of: found.shape } }
  }
  if (shape.kind === 'scalar') return { message: `${path} is ${shown(shape)} and has no ${quoted(segment.name)} in it.` }
  const found = nameIn(shape.fields, segment, path === '' ? 'Each has' : `${path} has`)
  return 'message' in found ? found : elementIn(found.shape, segment)
}

/** What a path leads to among the roots. */
function reach(roots: Shapes, path: readonly Segment[]): Reached {
  const [root, ...rest] = path
  if (!root) return { message: 'A token begins with a name.' }
  let at = nameIn(roots, root, 'Here begin')
  if ('shape' in at) at = elementIn(at.shape, root)
  for (const [n, segment] of rest.entries()) {
    if ('message' in at) return at
    at = step(at.shape, segment, path.slice(0, n + 1))
  }
  return at
}

/** What filters make of a shape; a warning for one that does not fit. */
function filtered(from: Shape, { filters, path }: Token, place: string, at: Checking): Shape {
  let shape = from
  for (const { name, args } of filters) {
    const { fits } = signatureOf(name)
    const isList = shape.kind === 'list'
    if (fits === 'list' && (shape.kind === 'scalar' || (shape.kind === 'object' && name !== 'pluck'))) {
      const message = `The filter ${name} is for lists, and ${printPath(path)} is ${shown(shape)}.`
      at.findings.push(finding(place, message, { severity: 'warning' }))
    } else if (name === 'pluck') {
      const inside = isList && shape.kind === 'list' ? shape.of : shape
      const plucked = inside.kind === 'object' ? nameIn(inside.fields, { name: String(args[0]) }, `${printPath(path)} has`) : undefined
      if (plucked && 'message' in plucked) {
        at.findings.push(finding(place, plucked.message, { suggestion: plucked.suggestion }))
        return { kind: 'any' }
      }
      const found: Shape = plucked ? plucked.shape : { kind: 'any' }
      shape = isList ? { kind: 'list', of: found } : found
      continue
    }
    const one = shape.kind === 'list' ? shape.of : shape
    if ((fits === 'number' || fits === 'time') && one.kind === 'scalar' && !fitsType(fits, one.type)) {
      const message = `The filter ${name} is for ${fits === 'number' ? 'numbers' : 'dates and times'}, and ${printPath(path)} is ${shown(one)}.`
      at.findings.push(finding(place, message, { severity: 'warning' }))
    }
    shape = afterFilter(shape, name)
  }
  return shape
}

function fitsType(fits: 'number' | 'time', type: string | undefined): boolean {
  if (type === undefined) return true
  return fits === 'number' ? type === 'number' : ['dateTime', 'date', 'time'].includes(type)
}

function afterFilter(shape: Shape, name: string): Shape {
  if (name === 'default') return shape
  if (name === 'count' || name === 'sum') return { kind: 'scalar', type: 'number' }
  if (name === 'join' || name === 'json' || name === 'yesno') return { kind: 'scalar', type: 'text' }
  if (name === 'map' || name === 'label') return shape.kind === 'list' ? { kind: 'list', of: { kind: 'scalar' } } : { kind: 'scalar' }
  return shape.kind === 'list' ? { kind: 'list', of: { kind: 'scalar', type: 'text' } } : { kind: 'scalar', type: 'text' }
}

function checkToken(token: Token, place: string, at: Checking): void {
  const reached = reach(at.roots, token.path)
  if ('shape' in reached) return void filtered(reached.shape, token, place, at)
  at.findings.push(finding(place, `[[${printPath(token.path)}]]: ${reached.message}`, { suggestion: reached.suggestion }))
}

/** Whether no more is looked at; the first time that it is too much, this is a finding. */
function isFull(at: Checking, place: string): boolean {
  if (at.findings.length >= maxFindings) return true
  if (at.tokens <= maxTokensChecked && at.nodes <= maxNodes) return false
  if (!at.isTold)
    at.findings.push(finding(place, `At most ${maxTokensChecked} tokens and ${maxNodes} values are checked at once. Split the definition.`))
  at.isTold = true
  return true
}

function checkTemplate(template: Template, place: string, at: Checking): void {
  for (const { message, suggestion } of template.faults) at.findings.push(finding(place, message, { suggestion }))
  for (const part of template.parts) {
    if (isFull(at, place)) return
    if (typeof part === 'string') continue
    at.tokens++
    checkToken(part, place, at)
  }
}

function checkExpression(value: unknown, place: string, at: Checking): void {
  const { expression, issues } = parseExpression(value)
  for (const { path, message, suggestion } of issues) at.findings.push(finding(`${place}${path.slice(1)}`, message, { suggestion }))
  for (const { template, path } of expression ? templatesOf(expression) : []) checkTemplate(template, `${place}${path.slice(1)}`, at)
}

function visit(value: unknown, place: string, depth: number, at: Checking): void {
  at.nodes++
  if (isFull(at, place)) return
  if (typeof value === 'string') {
    if (mayHoldTokens(value)) checkTemplate(parseTemplate(value), place, at)
    return
  }
  if (typeof value !== 'object' || value === null || depth > maxDepth) return
  if (!Array.isArray(value) && isExpression(value)) return checkExpression(value.$expr, `${place}.$expr`, at)
  for (const [key, part] of Array.isArray(value) ? value.entries() : Object.entries(value)) {
    visit(part, typeof key === 'number' ? `${place}[${key}]` : `${place}.${key}`, depth + 1, at)
  }
}

/** Everything that is wrong with the tokens and expressions in a value of JSON, against what there is to name. */
export function checkTokens(value: unknown, roots: Shapes, place = '$'): readonly Finding[] {
  const at: Checking = { roots, findings: [], nodes: 0, tokens: 0, isTold: false }
  visit(value, place, 0, at)
  return at.findings
}

/** What a text comes to that is exactly one token; undefined for any other value, and where the token leads nowhere. */
export function shapeOfToken(value: unknown, roots: Shapes): Shape | undefined {
  const token = typeof value === 'string' && mayHoldTokens(value) ? soleToken(parseTemplate(value)) : undefined
  const reached = token && reach(roots, token.path)
  if (!token || !reached || 'message' in reached) return undefined
  return filtered(reached.shape, token, '', { roots, findings: [], nodes: 0, tokens: 0, isTold: false })
}

/** The paths of a text's tokens that name nothing among the roots, each once. */
export function unknownPaths({ parts }: Template, roots: Shapes): readonly string[] {
  const unknown = parts.flatMap((part) => (typeof part === 'string' || 'shape' in reach(roots, part.path) ? [] : [printPath(part.path)]))
  return [...new Set(unknown)]
}
