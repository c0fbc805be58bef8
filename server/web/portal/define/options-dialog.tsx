/** The options of a choice: added, called otherwise, put in another order, and taken away. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf, once, Refusal } from '../client.ts'
import { ActForm, Dialog, Line } from '../parts/basics.tsx'
import { Ordered } from '../parts/ordered.tsx'
import { Shown } from '../parts/shown.tsx'
import { entityAddress } from '../records/values.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { internalNameOf } from './define.rules.ts'
import { askOptions, askPropertyUses, type Option } from './definition.ts'
import { useEdited } from './edited.ts'
import { TakeAway } from './take-away.tsx'

/** Shown at first; a choice may have thousands. */
const firstShown = 100

interface Facts {
  readonly entity: string
  readonly property: string
  readonly label: string
  readonly languageCode: string
}

function Renaming({ property, option, languageCode, onDone }: Facts & { option: Option; onDone: (isDone: boolean) => void }) {
  const act = useAct()
  // The name for programs goes along with the call, so it is taken as it is by then.
  const factsOf = ({ name, internalName }: Option) => ({ name, internalName })
  const { draft, set, save } = useEdited(factsOf(option), { name: words.name, internalName: words.internalName }, async () => {
    const options = await askOptions(property, languageCode)
    return factsOf(options.find(({ optionId }) => optionId === option.optionId) ?? option)
  })
  const { optionId } = option
  const send = () =>
    save(async (changed, { name, internalName }) => {
      if (changed.size === 0) return
      const body = { optionId, internalName, displays: [{ languageCode, name: name.trim() }] }
      await dataOf(api.POST('/api/v1/properties/{property}/options', { params: { path: { property } }, body, headers: once() }))
    }).then(() => onDone(true))
  return (
    <ActForm act={act} label={texts.save} onSend={send} cancel={() => onDone(false)}>
      <Line label={words.name} value={draft.name} onValue={(name) => set({ name })} maxLength={200} required />
    </ActForm>
  )
}

function Adding({ property, languageCode, options, onDone }: Facts & { options: readonly Option[]; onDone: () => Promise<unknown> }) {
  const act = useAct()
  const [name, setName] = useState('')
  async function add() {
    const internalName = internalNameOf(name) || `Option${options.length + 1}`
    // The API would change the one that is there.
    const present = options.find((option) => option.internalName.toLowerCase() === internalName.toLowerCase())
    if (present) throw new Refusal({ code: 'already_exists', detail: words.optionExists(present.name) })
    const body = { internalName, displays: [{ languageCode, name: name.trim() }] }
    await dataOf(api.POST('/api/v1/properties/{property}/options', { params: { path: { property } }, body, headers: once() }))
    setName('')
    await onDone()
  }
  return (
    <ActForm act={act} label={words.addOption} onSend={add}>
      <Line label={words.newOption} value={name} onValue={setName} maxLength={200} required />
    </ActForm>
  )
}

export function OptionsDialog({ onClose, ...facts }: Facts & { onClose: (isDone: boolean) => void }) {
  const { entity, property, label, languageCode } = facts
  const { loaded, reload } = useAnswer(() => askOptions(property, languageCode))
  const [renaming, setRenaming] = useState<number>()
  const [retiring, setRetiring] = useState<Option>()
  const [most, setMost] = useState(firstShown)
  const params = { path: { property } }
  return (
    <Dialog title={words.optionsOf(label)} onClose={() => onClose(true)}>
      <Shown of={loaded} reload={reload}>
        {(options) => (
          <>
            <Ordered
              items={options.slice(0, most)}
              idOf={({ optionId }) => optionId}
              nameOf={({ name }) => name}
              onSave={async (optionIds) => {
                await dataOf(api.POST('/api/v1/properties/{property}/options/reorder', { params, body: { optionIds: [...optionIds] } }))
                await reload()
              }}
            >
              {(option) =>
                option.optionId === renaming ? (
                  <Renaming
                    {...facts}
                    option={option}
                    onDone={(isDone) => {
                      setRenaming(undefined)
                      if (isDone) void reload()
                    }}
                  />
                ) : (
                  <div>
                    {option.name} <span class="muted">{option.internalName}</span>
                    <p class="acts">
                      <button type="button" aria-label={`${texts.rename}: ${option.name}`} onClick={() => setRenaming(option.optionId)}>
                        {texts.rename}
                      </button>
                      <button type="button" aria-label={`${words.retire}: ${option.name}`} onClick={() => setRetiring(option)}>
                        {words.retire}
                      </button>
                    </p>
                  </div>
                )
              }
            </Ordered>
            {options.length > most && (
              <p class="acts">
                <button type="button" onClick={() => setMost(most + 500)}>
                  {texts.more}
                </button>
              </p>
            )}
            <Adding {...facts} options={options} onDone={reload} />
          </>
        )}
      </Shown>
      {retiring && (
        <TakeAway
          title={words.retireTitle(retiring.name)}
          text={words.retireHint}
          label={words.retire}
          uses={() => askPropertyUses(property)}
          onDo={({ force }) => {
            const path = { property, optionId: retiring.optionId }
            return dataOf(api.DELETE('/api/v1/properties/{property}/options/{optionId}', { params: { path, query: { force } } }))
          }}
          onClose={(isDone) => {
            setRetiring(undefined)
            if (isDone) void reload()
          }}
        >
          <p>
            <a href={`${entityAddress(entity)}?filter=${encodeURIComponent(`${property}:eq:${retiring.internalName}`)}`}>{words.holders}</a>
          </p>
        </TakeAway>
      )}
    </Dialog>
  )
}
