/** What to say where no route matches: the nearest one there is, or the method that the path takes. */
import { AppError } from '#platform/errors.ts'
import { nearest, quoted } from '#platform/suggest.ts'

export interface KnownRoute {
  readonly method: string
  readonly path: string
}

/** Puts the caller's own segments where a path has parameters, so that only its fixed words are compared. Undefined: another number of segments. */
function fill(path: string, segments: readonly string[]): string | undefined {
  const parts = path.split('/')
  if (parts.length !== segments.length) return undefined
  return parts.map((part, index) => (part.startsWith('{') ? (segments[index] ?? '') : part)).join('/')
}

export interface UnknownRoute {
  readonly error: AppError
  /** The methods that the path takes, for the Allow header; empty where the path itself is unknown. */
  readonly allow: readonly string[]
}

/** A 405 where the path takes other methods, else a 404 that names the nearest route. `path` is without its query. */
export function unknownRoute(routes: readonly KnownRoute[], method: string, path: string): UnknownRoute {
  const segments = path.split('/')
  const here = routes.filter((route) => fill(route.path, segments) === path)
  // A path whose parameters are empty is no path of this route.
  const isRoot = path === '/'
  const methods = new Set(segments.slice(1).includes('') && !isRoot ? [] : here.map((route) => route.method))
  if (methods.size > 0) {
    const sentence = `${quoted(path, 120)} takes ${[...methods].join(' or ')}, not ${method}.`
    if (methods.has('GET')) methods.add('HEAD')
    return { error: new AppError('method_not_allowed', sentence), allow: [...methods] }
  }
  const candidates = new Map<string, KnownRoute>()
  // Without its empty parts, so that a doubled or trailing slash finds the route it was meant for.
  const trimmed = segments.filter((segment, index) => index === 0 || segment !== '')
  for (const route of routes) {
    const filled = fill(route.path, trimmed)
    if (filled !== undefined && (route.method === method || !candidates.has(filled))) candidates.set(filled, route)
  }
  const near = candidates.get(nearest(trimmed.join('/'), candidates.keys()) ?? '')
  const hint = near ? ` Did you mean ${near.method} ${near.path}?` : ' /openapi.json lists every route.'
  return { error: new AppError('not_found', `There is no route ${method} ${quoted(path, 120)}.${hint}`), allow: [] }
}
