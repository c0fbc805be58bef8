/** Answers that a page shows, and acts that it carries out: where they stand, and what went wrong. */
import { useCallback, useEffect, useRef, useState } from 'preact/hooks'

import { Refusal, type Trouble } from './client.ts'

export type Loaded<T> =
  | { readonly state: 'waiting' }
  | { readonly state: 'there'; readonly value: T }
  | { readonly state: 'failed'; readonly trouble: Trouble }

function troubleOf(error: unknown): Trouble {
  if (error instanceof Refusal) return error.problem
  throw error
}

/** What `load` answers, asked for anew where `key` changes. An answer that was overtaken is dropped. */
export function useAnswer<T>(
  load: () => Promise<T>,
  key = '',
): { loaded: Loaded<T>; reload: () => Promise<void>; set: (value: T) => void } {
  const [loaded, setLoaded] = useState<Loaded<T>>({ state: 'waiting' })
  const latest = useRef(0)
  const current = useRef(load)
  current.current = load
  const reload = useCallback(async () => {
    const own = ++latest.current
    const next: Loaded<T> = await current.current().then(
      (value) => ({ state: 'there', value }) as const,
      (error: unknown) => ({ state: 'failed', trouble: troubleOf(error) }) as const,
    )
    if (own === latest.current) setLoaded(next)
  }, [])
  useEffect(() => {
    setLoaded({ state: 'waiting' })
    void reload()
    return () => void latest.current++
  }, [key, reload])
  const set = useCallback((value: T) => setLoaded({ state: 'there', value }), [])
  return { loaded, reload, set }
}

export interface Act {
  readonly isBusy: boolean
  readonly trouble: Trouble | undefined
  /** Carries it out, unless one is under way; true where it was done. */
  readonly run: (work: () => Promise<unknown>) => Promise<boolean>
  readonly forget: () => void
}

export function useAct(): Act {
  const [isBusy, setBusy] = useState(false)
  const [trouble, setTrouble] = useState<Trouble>()
  const busy = useRef(false)
  const run = useCallback(async (work: () => Promise<unknown>) => {
    if (busy.current) return false
    busy.current = true
    setBusy(true)
    setTrouble(undefined)
    try {
      await work()
      return true
    } catch (error) {
      setTrouble(troubleOf(error))
      return false
    } finally {
      busy.current = false
      setBusy(false)
    }
  }, [])
  return { isBusy, trouble, run, forget: useCallback(() => setTrouble(undefined), []) }
}
