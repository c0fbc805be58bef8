/** Asks before a part of a definition goes: who uses it, and, once the API has refused, whether it is to go all the same. */
import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { Dialog } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { Tick } from '../parts/tick.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { type Uses, UsesList } from './uses.tsx'

export interface AllTheSame {
  readonly force: boolean
  readonly discardsValues: boolean
}

export function TakeAway({
  title,
  text,
  label,
  uses,
  mayDiscard = false,
  onDo,
  onClose,
  children,
}: {
  title: string
  text: string
  label: string
  uses: () => Promise<Uses>
  /** Values of records may go with it. */
  mayDiscard?: boolean
  onDo: (how: AllTheSame) => Promise<unknown>
  onClose: (isDone: boolean) => void
  children?: ComponentChildren
}) {
  const act = useAct()
  const { loaded, reload } = useAnswer(uses)
  const [how, setHow] = useState<AllTheSame>({ force: false, discardsValues: false })
  const [wasRefused, setRefused] = useState(false)
  // What the API refused once may be refused again: the ticks stay.
  if (act.trouble?.code === 'conflict' && !wasRefused) setRefused(true)
  const isUsed = loaded.state === 'there' && loaded.value.definitions.length + loaded.value.otherDefinitions > 0
  return (
    <Dialog title={title} onClose={() => onClose(false)}>
      <p>{text}</p>
      <Shown of={loaded} reload={reload}>
        {(found) => <UsesList uses={found} />}
      </Shown>
      {children}
      <TroubleNote trouble={act.trouble} />
      {(isUsed || wasRefused) && <Tick label={words.force} isOn={how.force} onTurn={(force) => setHow({ ...how, force })} />}
      {mayDiscard && wasRefused && (
        <Tick label={words.discard} isOn={how.discardsValues} onTurn={(discardsValues) => setHow({ ...how, discardsValues })} />
      )}
      <p class="acts">
        <button
          type="button"
          class="main danger"
          aria-disabled={act.isBusy}
          onClick={() => void act.run(() => onDo(how)).then((isDone) => (isDone ? onClose(true) : undefined))}
        >
          {label}
        </button>
        <button type="button" onClick={() => onClose(false)}>
          {texts.cancel}
        </button>
      </p>
    </Dialog>
  )
}
