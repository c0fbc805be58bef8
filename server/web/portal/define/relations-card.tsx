/** How a kind stands to others: what it stands below, what stands below it, and whose records may be linked with its own. */
import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { ActForm, Card, Choice } from '../parts/basics.tsx'
import { Tick } from '../parts/tick.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { kindAddress } from './address.ts'
import { askEntityUses, type Definition, type Relation } from './definition.ts'
import { TakeAway } from './take-away.tsx'

interface Facts {
  readonly definition: Definition
  readonly onChanged: () => Promise<unknown>
}

function Relate({ definition: { detail, relations, kinds }, onChanged }: Facts) {
  const act = useAct()
  const own = detail.entity.internalName
  const [isPeer, setPeer] = useState(false)
  const [other, setOther] = useState('')
  const [isRequired, setRequired] = useState(false)
  const [isList, setList] = useState(true)
  const taken = (isPeer ? relations.peers : relations.children).map(({ internalName }) => internalName)
  const open = kinds.filter(({ internalName }) => !taken.includes(internalName))
  const chosen = open.some(({ internalName }) => internalName === other) ? other : ''
  const params = { path: { entity: own } }
  async function relate() {
    if (isPeer) {
      const body = { peerEntity: chosen, isRequired, isList }
      await dataOf(api.POST('/api/v1/entities/{entity}/peers', { params, body, headers: once() }))
    } else {
      const body = { childEntity: chosen, isRequired, isList }
      await dataOf(api.POST('/api/v1/entities/{entity}/children', { params, body, headers: once() }))
    }
    setOther('')
    await onChanged()
  }
  return (
    <ActForm act={act} label={words.relate} onSend={relate}>
      <Choice
        label={words.how}
        value={isPeer ? 'peer' : 'child'}
        onValue={(value) => setPeer(value === 'peer')}
        options={[
          { value: 'child', label: words.asChild },
          { value: 'peer', label: words.asPeer },
        ]}
      />
      <Choice
        label={words.otherKind}
        value={chosen}
        onValue={setOther}
        required
        options={[
          { value: '', label: texts.records.choose },
          ...open.map(({ internalName, name }) => ({ value: internalName, label: name })),
        ]}
      />
      <Tick label={isPeer ? words.peerList : words.childList} isOn={isList} onTurn={setList} />
      <Tick label={isPeer ? words.peerRequired : words.childRequired} isOn={isRequired} onTurn={setRequired} />
    </ActForm>
  )
}

export function RelationsCard({ definition, onChanged }: Facts) {
  const { detail, relations } = definition
  const [ending, setEnding] = useState<Relation>()
  return (
    <Card title={words.relations}>
      {relations.parents.length > 0 && (
        <>
          <p>{words.parents}</p>
          <ul>
            {relations.parents.map(({ internalName, name }) => (
              <li>
                <a href={kindAddress(internalName)}>{name}</a>
              </li>
            ))}
          </ul>
        </>
      )}
      {relations.peers.length > 0 && (
        <>
          <p>{words.peers}</p>
          <ul class="entries">
            {relations.peers.map((peer) => (
              <li key={peer.entityId}>
                <div>
                  <a href={kindAddress(peer.internalName)}>{peer.name}</a>
                  {peer.isRequired && (
                    <>
                      {' '}
                      <span class="mark">{words.peerRequired}</span>
                    </>
                  )}
                </div>
                <div class="acts">
                  <button type="button" aria-label={`${words.endPeers}: ${peer.name}`} onClick={() => setEnding(peer)}>
                    {words.endPeers}
                  </button>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
      <details>
        <summary>{words.relateTitle}</summary>
        <Relate definition={definition} onChanged={onChanged} />
      </details>
      {ending && (
        <TakeAway
          title={words.endPeersTitle(ending.name)}
          text={words.endPeersHint}
          label={words.endPeers}
          uses={() => askEntityUses(ending.internalName)}
          onDo={({ force }) => {
            const path = { entity: detail.entity.internalName, peerEntity: ending.internalName }
            return dataOf(api.DELETE('/api/v1/entities/{entity}/peers/{peerEntity}', { params: { path, query: { force } } }))
          }}
          onClose={(isDone) => {
            setEnding(undefined)
            if (isDone) void onChanged()
          }}
        />
      )}
    </Card>
  )
}
