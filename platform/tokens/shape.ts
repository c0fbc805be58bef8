/** What there is for tokens to name: the shape of each root, known before any value is. */
import { printPath, type Segment } from './template.ts'

export type ScalarType = 'text' | 'number' | 'boolean' | 'dateTime' | 'date' | 'time' | 'choice' | 'file'

export type Shape =
  /** Without a type: plain, and nothing more is known. */
  | { readonly kind: 'scalar'; readonly type?: ScalarType }
  | { readonly kind: 'object'; readonly fields: Shapes }
  | { readonly kind: 'list'; readonly of: Shape }
  /** Whatever comes: the body of a webhook. Nothing in it is checked. */
  | { readonly kind: 'any' }

export type Shapes = Readonly<Record<string, Shape>>

const words: Readonly<Record<ScalarType, string>> = {
  text: 'a text',
  number: 'a number',
  boolean: 'true or false',
  dateTime: 'a time',
  date: 'a day',
  time: 'a time of day',
  choice: 'a choice',
  file: 'a file',
}

/** What a shape is, for a sentence. */
export function shown(shape: Shape): string {
  if (shape.kind === 'scalar') return shape.type === undefined ? 'a plain value' : words[shape.type]
  return shape.kind === 'object' ? 'a record' : shape.kind === 'list' ? 'a list' : 'any value'
}

export interface OfferedToken {
  /** As it is written between the brackets. */
  readonly path: string
  readonly shape: Shape
}

/** Every path that leads to something, the first of each list in its place; at most so many names deep. */
export function* pathsOf(fields: Shapes, maxSegments: number, before: readonly Segment[] = []): Generator<OfferedToken> {
  for (const [name, shape] of Object.entries(fields)) {
    const path = [...before, { name }]
    yield { path: printPath(path), shape }
    const inside = shape.kind === 'list' ? shape.of : shape
    const here = shape.kind === 'list' ? [...before, { name, index: 'first' as const }] : path
    if (inside.kind === 'object' && here.length < maxSegments) yield* pathsOf(inside.fields, maxSegments, here)
  }
}
