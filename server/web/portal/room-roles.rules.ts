/** The roles without which a page of the application could show nothing but refusals. */
import type { RoleName } from './roles.ts'

const needs: readonly (readonly [RegExp, readonly RoleName[]])[] = [
  [/^\/t\/[^/]+\/records\/[^/]+\/(?:new|[^/]+\/edit)\/?$/, ['DataView', 'DataEdit']],
  [/^\/t\/[^/]+\/records\/[^/]/, ['DataView']],
  [/^\/t\/[^/]+\/conversations(?:\/|$)/, ['DataView']],
  [/^\/t\/[^/]+\/define(?:\/|$)/, ['BuilderAdmin']],
  [/^\/t\/[^/]+\/users(?:\/|$)/, ['AdminUser']],
  [/^\/ops\/api-keys(?:\/|$)/, ['AdminIntegration']],
]

/** All of them are needed for the page at the path; none where everybody sees it. */
export function rolesFor(path: string): readonly RoleName[] {
  return needs.find(([pattern]) => pattern.test(path))?.[1] ?? []
}
