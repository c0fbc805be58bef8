/** Fields of a definition while somebody changes them. Only what was changed is sent, and what another changed meanwhile is told before it is written over. */
import { useState } from 'preact/hooks'

import { Refusal } from '../client.ts'
import { words } from '../texts/define/index.ts'
import { changedIn, clashesOf, type Fields, rebased } from './meanwhile.rules.ts'

/** `labels` tell the fields by name, `readNow` reads them anew. */
export function useEdited<F extends Fields>(before: F, labels: Readonly<Record<keyof F & string, string>>, readNow: () => Promise<F>) {
  const [base, setBase] = useState(before)
  const [draft, setDraft] = useState(before)
  const set = (change: Partial<F>) => setDraft({ ...draft, ...change })

  /** Sends what differs from what stands there now. Throws a Refusal where another changed the same: who saves once more writes over it. */
  async function save(send: (changed: ReadonlySet<string>, fields: F) => Promise<unknown>): Promise<void> {
    const now = await readNow()
    const clashes = clashesOf(base, draft, now)
    const next = rebased(base, draft, now)
    setBase(now)
    setDraft(next)
    if (clashes.length > 0) {
      const told = clashes.map((name) => ({ label: labels[name], value: valueOf(now[name]) }))
      throw new Refusal({ code: 'conflict', detail: words.meanwhile(told) })
    }
    await send(new Set(changedIn(now, next)), next)
    setBase(next)
  }
  return { draft, set, save }
}

const valueOf = (value: string | boolean | undefined) => (typeof value === 'boolean' ? words.isSo(value) : (value ?? ''))
