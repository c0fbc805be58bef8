/** What a kind or a property is called: by people in their language, and by programs. */
import { Line } from '../parts/basics.tsx'
import { words } from '../texts/define/index.ts'

interface Names {
  readonly name: string
  readonly description: string
  readonly internalName: string
}

export function NameLines({
  draft,
  set,
  labels,
}: {
  draft: Names
  set: (change: Partial<Names>) => void
  labels: Readonly<Record<keyof Names, string>>
}) {
  return (
    <>
      <Line label={labels.name} value={draft.name} onValue={(name) => set({ name })} maxLength={200} required />
      <Line label={labels.description} value={draft.description} onValue={(description) => set({ description })} maxLength={2_000} />
      <Line
        label={labels.internalName}
        hint={words.internalNameHint}
        value={draft.internalName}
        onValue={(internalName) => set({ internalName })}
        maxLength={64}
        required
      />
    </>
  )
}
