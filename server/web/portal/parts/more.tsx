/** The button that brings what comes behind a list; nothing where nothing does. */
import { useAct } from '../answers.ts'
import { texts } from '../texts/index.ts'
import { TroubleNote } from './trouble.tsx'

export function More<Cursor>({ next, load }: { next: Cursor | null; load: (next: Cursor) => Promise<unknown> }) {
  const act = useAct()
  return (
    <>
      <TroubleNote trouble={act.trouble} />
      {next !== null && (
        <p class="acts">
          <button type="button" aria-disabled={act.isBusy} onClick={() => void act.run(() => load(next))}>
            {texts.more}
          </button>
        </p>
      )}
    </>
  )
}
