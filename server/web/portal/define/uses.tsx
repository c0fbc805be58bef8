/** Who uses a part of the definitions, as get_entity_usage and get_property_usage tell it. */
import { words } from '../texts/define/index.ts'

export interface Uses {
  readonly definitions: readonly { readonly kind: keyof typeof words.kinds; readonly definitionId: number; readonly internalName: string }[]
  /** Those that the person may not see. */
  readonly otherDefinitions: number
}

export function UsesList({ uses: { definitions, otherDefinitions } }: { uses: Uses }) {
  if (definitions.length + otherDefinitions === 0) return <p class="muted">{words.notUsed}</p>
  return (
    <>
      <p>{words.usedBy}</p>
      <ul>
        {definitions.map(({ kind, definitionId, internalName }) => (
          <li key={definitionId}>
            {internalName} <span class="muted">{words.kinds[kind]}</span>
          </li>
        ))}
        {otherDefinitions > 0 && <li class="muted">{words.others(otherDefinitions)}</li>}
      </ul>
    </>
  )
}
