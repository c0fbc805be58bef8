/** Which of the modules of server/web/portal shows what stands at a path: the portal names it in the page, so that it is on its way before the script that asks for it. */

/** The first that fits. */
const modules: readonly (readonly [path: RegExp, module: string])[] = [
  [/^\/profile$/, 'account/profile-page.tsx'],
  [/^\/ops\/api-keys$/, 'keys/keys-page.tsx'],
  [/^\/t\/[^/]+\/users$/, 'users/users-page.tsx'],
  [/^\/t\/[^/]+\/inbox$/, 'inbox/inbox-page.tsx'],
  [/^\/t\/[^/]+\/conversations(\/|$)/, 'inbox/conversations-page.tsx'],
  [/^\/t\/[^/]+\/docs(\/|$)/, 'docs/docs-page.tsx'],
  [/^\/t\/[^/]+\/define$/, 'define/define-page.tsx'],
  [/^\/t\/[^/]+\/define\/[^/]+$/, 'define/kind-page.tsx'],
  [/^\/t\/[^/]+\/reference(\/|$)/, 'reference/reference-page.tsx'],
  [/^\/t\/[^/]+\/records$/, 'records/entities-page.tsx'],
  [/^\/t\/[^/]+\/records\/[^/]+$/, 'records/list-page.tsx'],
  [/^\/t\/[^/]+\/records\/[^/]+\/new$/, 'records/edit-page.tsx'],
  [/^\/t\/[^/]+\/records\/[^/]+\/[^/]+$/, 'records/record-page.tsx'],
  [/^\/t\/[^/]+\/records\/[^/]+\/[^/]+\/edit$/, 'records/edit-page.tsx'],
]

/** Undefined where the script of every page is enough. */
export function roomModule(path: string): string | undefined {
  return modules.find(([fits]) => fits.test(path.replace(/\/$/, '')))?.[1]
}
