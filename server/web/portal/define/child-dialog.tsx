/** How a kind stands below another. */
import { useAct } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { ActForm, Dialog } from '../parts/basics.tsx'
import { Tick } from '../parts/tick.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { askDetail, namesOf, type Part } from './definition.ts'
import { useEdited } from './edited.ts'

export function ChildDialog({
  entity,
  part,
  languageCode,
  onClose,
}: {
  entity: string
  part: Part
  languageCode: string
  onClose: (isDone: boolean) => void
}) {
  const act = useAct()
  const factsOf = ({ isRequired, isList }: Part) => ({ isRequired, isList })
  const labels = { isRequired: words.childRequired, isList: words.childList }
  const { draft, set, save } = useEdited(factsOf(part), labels, async () => {
    const { properties } = await askDetail(entity, languageCode)
    return factsOf(properties.find(({ entityPropertyId }) => entityPropertyId === part.entityPropertyId) ?? part)
  })
  const params = { path: { entity, entityPropertyId: String(part.entityPropertyId) } }
  const send = () =>
    save(async (changed, { isRequired, isList }) => {
      const body = { ...(changed.has('isRequired') ? { isRequired } : {}), ...(changed.has('isList') ? { isList } : {}) }
      if (changed.size > 0) await dataOf(api.PUT('/api/v1/entities/{entity}/properties/{entityPropertyId}', { params, body }))
    }).then(() => onClose(true))
  return (
    <Dialog title={words.changeOf(namesOf(part).label)} onClose={() => onClose(false)}>
      <ActForm act={act} label={texts.save} onSend={send} cancel={() => onClose(false)}>
        <Tick label={words.childRequired} isOn={draft.isRequired} onTurn={(isRequired) => set({ isRequired })} />
        <Tick label={words.childList} isOn={draft.isList} onTurn={(isList) => set({ isList })} />
      </ActForm>
    </Dialog>
  )
}
