/** What somebody types beside what others change meanwhile. */

export type Fields = Readonly<Record<string, string | boolean>>

export const changedIn = <F extends Fields>(base: F, draft: F): readonly (keyof F & string)[] =>
  Object.keys(draft).filter((name) => draft[name] !== base[name])

/** The fields that both changed, each to something else. */
export const clashesOf = <F extends Fields>(base: F, draft: F, now: F): readonly (keyof F & string)[] =>
  changedIn(base, draft).filter((name) => now[name] !== base[name] && now[name] !== draft[name])

/** What was typed stays; all else is as it is now. */
export function rebased<F extends Fields>(base: F, draft: F, now: F): F {
  const own = changedIn(base, draft).map((name) => [name, draft[name]] as const)
  return { ...now, ...Object.fromEntries(own) }
}
