/** What the query of an MCP URL asks for: which tools a connection has, and how they are offered. */
import { AppError, type Issue } from '#platform/errors.ts'
import type { RegisteredOperation } from '#platform/registry.ts'
import { nearest, quoted } from '#platform/suggest.ts'

export interface Surface {
  /** `full` lists every tool; `catalog` lists the docs tools and four that find, describe and call the others. */
  readonly kind: 'full' | 'catalog'
  /** Names of domains; absent: all of them. */
  readonly toolsets: ReadonlySet<string> | undefined
  readonly isReadOnly: boolean
  /** Whether the list carries output schemas, which most hosts never show to a model. */
  readonly listsOutputs: boolean
  /** Equal for equal surfaces. */
  readonly key: string
}

const parameters = ['toolsets', 'readonly', 'surface', 'outputs']
const switchValues = new Map([
  ['', true],
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
])

function hint(name: string, candidates: Iterable<string>): { suggestion?: string } {
  const suggestion = nearest(name, candidates)
  return suggestion === undefined ? {} : { suggestion }
}

/**
 * Reads the query of an MCP URL. Throws AppError `invalid_input` on unknown parameters, values and toolsets, since a narrowing that was
 * misspelt must never open everything.
 */
export function readSurface(url: string, toolsetNames: readonly string[]): Surface {
  const start = url.indexOf('?')
  const query = new URLSearchParams(start === -1 ? '' : url.slice(start + 1))
  const issues: Issue[] = []
  const refuse = (path: string, message: string, more: { suggestion?: string } = {}) =>
    issues.push({ path, severity: 'error', message, ...more })

  for (const name of new Set(query.keys())) {
    if (!parameters.includes(name)) {
      refuse(`$.${quoted(name, 40)}`, `No such parameter of the MCP URL. Known: ${parameters.join(', ')}.`, hint(name, parameters))
    }
  }

  const readSwitch = (name: string) => {
    const value = query.get(name)
    if (value === null) return false
    const on = switchValues.get(value.toLowerCase())
    if (on === undefined) refuse(`$.${name}`, `${quoted(value)} is no switch. Use ${name}=1 or ${name}=0.`)
    return on ?? false
  }
  const isReadOnly = readSwitch('readonly')
  const listsOutputs = readSwitch('outputs')

  const kind = query.get('surface') ?? 'full'
  if (kind !== 'full' && kind !== 'catalog') {
    refuse('$.surface', `${quoted(kind)} is no surface. Use full or catalog.`, hint(kind, ['full', 'catalog']))
  }

  const asked = query.has('toolsets')
    ? query
        .getAll('toolsets')
        .flatMap((part) => part.split(','))
        .map((part) => part.trim())
    : undefined
  const chosen = asked?.filter((name) => name !== '')
  if (chosen?.length === 0) refuse('$.toolsets', `Name at least one toolset: ${toolsetNames.join(', ')}.`)
  for (const name of chosen ?? []) {
    if (!toolsetNames.includes(name)) {
      refuse('$.toolsets', `${quoted(name)} is no toolset. Known: ${toolsetNames.join(', ')}.`, hint(name, toolsetNames))
    }
  }

  if (issues.length > 0) throw new AppError('invalid_input', 'The query of the MCP URL is not understood.', { issues: issues.slice(0, 20) })
  const toolsets = chosen && new Set(chosen.toSorted())
  return {
    kind: kind === 'catalog' ? 'catalog' : 'full',
    toolsets,
    isReadOnly,
    listsOutputs,
    key: `${kind}|${toolsets === undefined ? '*' : [...toolsets].join(',')}|${isReadOnly}|${listsOutputs}`,
  }
}

/** Whether a connection on this surface may call the operation at all; its roles are another matter. */
export function reaches(surface: Surface, operation: RegisteredOperation): boolean {
  if (!operation.isTool) return false
  if (surface.isReadOnly && operation.effect !== 'read') return false
  if (surface.toolsets === undefined || surface.toolsets.has(operation.domain)) return true
  return surface.kind === 'catalog' && operation.domain === 'docs'
}

/** One sentence for a caller that asks for a tool outside its surface: what keeps it out and where it is. */
export function whyUnreachable(surface: Surface, operation: RegisteredOperation): string {
  if (surface.isReadOnly && operation.effect !== 'read') {
    return `${operation.name} writes, and this connection is read-only. Connect without readonly=1 to call it.`
  }
  return `${operation.name} belongs to the toolset ${operation.domain}, and this connection is limited to ${[...(surface.toolsets ?? [])].join(', ')}. Connect with toolsets=${operation.domain} to call it.`
}
