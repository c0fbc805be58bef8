/** Links of the documentation, which are between files, as addresses of its room. */

/** `guides/records.md` stands at `docs/guides/records`. */
export const addressOfPage = (path: string) => `docs/${path.replace(/\.md$/, '')}`

/** Where a link of a page leads; `base` is the tenant's own address. What is no page and no place of one stays as it is. */
export function linkFrom(path: string, target: string, base: string): string {
  if (target.startsWith('#') || /^[a-z]+:/i.test(target)) return target
  const { pathname, hash } = new URL(target, `http://docs/${path}`)
  return pathname.endsWith('.md') ? `${base}${addressOfPage(pathname.slice(1))}${hash}` : target
}
