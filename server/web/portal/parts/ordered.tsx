/** A list whose order somebody changes by buttons, and saves as a whole. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { texts } from '../texts/index.ts'
import { inOrder, moved } from './order.rules.ts'
import { TroubleNote } from './trouble.tsx'

export function Ordered<Item>({
  items,
  idOf,
  nameOf,
  onSave,
  children,
}: {
  items: readonly Item[]
  idOf: (item: Item) => number
  nameOf: (item: Item) => string
  onSave: (ids: readonly number[]) => Promise<unknown>
  children: (item: Item) => ComponentChildren
}) {
  const act = useAct()
  const [given, setGiven] = useState<readonly number[]>()
  const pressed = useRef<HTMLButtonElement | null>(null)
  const ids = items.map(idOf)
  const order = inOrder(given, ids)
  const isMoved = order.some((id, at) => id !== ids[at])
  // A browser takes the focus from what is moved in the page.
  useLayoutEffect(() => pressed.current?.focus(), [given])
  const move = (id: number, by: -1 | 1) => (event: { currentTarget: HTMLButtonElement }) => {
    pressed.current = event.currentTarget
    setGiven(moved(order, id, by))
  }
  return (
    <>
      <ol class="entries">
        {order.map((id, at) => {
          const item = items.find((one) => idOf(one) === id)
          if (item === undefined) return null
          return (
            <li key={id}>
              {children(item)}
              <div class="acts">
                <button type="button" aria-label={texts.upwards(nameOf(item))} aria-disabled={at === 0} onClick={move(id, -1)}>
                  ↑
                </button>
                <button
                  type="button"
                  aria-label={texts.downwards(nameOf(item))}
                  aria-disabled={at === order.length - 1}
                  onClick={move(id, 1)}
                >
                  ↓
                </button>
              </div>
            </li>
          )
        })}
      </ol>
      <TroubleNote trouble={act.trouble} />
      {isMoved && (
        <p class="acts">
          <button
            type="button"
            class="main"
            aria-disabled={act.isBusy}
            onClick={() =>
              void act.run(async () => {
                await onSave(order)
                pressed.current = null
                setGiven(undefined)
              })
            }
          >
            {texts.saveOrder}
          </button>
        </p>
      )}
    </>
  )
}
