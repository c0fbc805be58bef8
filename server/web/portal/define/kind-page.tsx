/** A kind of record that is there, changed part by part: each save is a call of its own, and says what another changed meanwhile. */
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { me } from '../me.ts'
import { roomAddress } from '../page.ts'
import { ActForm, Card, Choice, Page } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown, ShownPage } from '../parts/shown.tsx'
import { forgetKinds } from '../records/kinds.ts'
import { entityAddress } from '../records/values.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { AddProperty } from './add-property.tsx'
import { kindAddress } from './address.ts'
import { askDefinition, askDetail, askEntityUses, askLanguages, type Definition, type Detail } from './definition.ts'
import { useEdited } from './edited.ts'
import { NameLines } from './name-lines.tsx'
import { PartsCard } from './parts-card.tsx'
import { RelationsCard } from './relations-card.tsx'
import { TakeAway } from './take-away.tsx'
import { UsesList } from './uses.tsx'

interface Facts {
  readonly definition: Definition
  readonly languageCode: string
  readonly onChanged: () => Promise<unknown>
}

function NamesCard({ definition: { detail }, languageCode, onChanged }: Facts) {
  const act = useAct()
  const { route } = useLocation()
  const factsOf = ({ entity: { name, description, internalName } }: Detail) => ({ name, description, internalName })
  const labels = { name: words.kindName, description: words.description, internalName: words.internalName }
  // By its id: another may give it another name for programs meanwhile.
  const entity = String(detail.entity.entityId)
  const { draft, set, save } = useEdited(factsOf(detail), labels, async () => factsOf(await askDetail(entity, languageCode)))
  const send = () =>
    save(async (changed, facts) => {
      if (changed.size === 0) return
      const internalName = facts.internalName.trim()
      const isDisplayChanged = changed.has('name') || changed.has('description')
      const display = { languageCode, name: facts.name.trim(), description: facts.description.trim() }
      const body = {
        ...(changed.has('internalName') ? { internalName } : {}),
        ...(isDisplayChanged ? { displays: [display] } : {}),
      }
      await dataOf(api.PUT('/api/v1/entities/{entity}', { params: { path: { entity } }, body }))
      if (changed.has('internalName')) {
        forgetKinds()
        route(kindAddress(internalName), true)
      } else await onChanged()
    })
  return (
    <Card title={words.names}>
      <ActForm act={act} label={texts.save} onSend={send} done={texts.saved}>
        <NameLines draft={draft} set={set} labels={labels} />
      </ActForm>
    </Card>
  )
}

function UsesCard({ definition: { detail, uses } }: Facts) {
  const [isDeleting, setDeleting] = useState(false)
  const { route } = useLocation()
  const entity = detail.entity.internalName
  return (
    <Card title={words.uses}>
      <UsesList uses={uses} />
      <p class="acts">
        <button type="button" class="danger" onClick={() => setDeleting(true)}>
          {words.deleteKind}
        </button>
      </p>
      {isDeleting && (
        <TakeAway
          title={words.deleteTitle(detail.entity.name)}
          text={words.deleteHint}
          label={texts.delete}
          uses={() => askEntityUses(entity)}
          onDo={({ force }) => dataOf(api.DELETE('/api/v1/entities/{entity}', { params: { path: { entity }, query: { force } } }))}
          onClose={(isDone) => {
            setDeleting(false)
            if (!isDone) return
            forgetKinds()
            route(roomAddress('records'))
          }}
        />
      )}
    </Card>
  )
}

/** In which language names are read and written here; the person's own at first. */
function Languages({ value, onValue }: { value: string; onValue: (languageCode: string) => void }) {
  const { loaded, reload } = useAnswer(askLanguages)
  return (
    <Shown of={loaded} reload={reload}>
      {(languages) => (
        <Choice
          label={words.language}
          value={value}
          onValue={onValue}
          options={languages.map(({ languageCode, displayName }) => ({ value: languageCode, label: displayName }))}
        />
      )}
    </Shown>
  )
}

export function KindPage() {
  const { entity = '' } = useRoute().params
  const [languageCode, setLanguageCode] = useState(me.value?.profile.languageCode ?? 'en-US')
  const { loaded, reload } = useAnswer(() => askDefinition(entity, languageCode), `${entity} ${languageCode}`)
  const onChanged = async () => {
    forgetKinds()
    await reload()
  }
  return (
    <ShownPage of={loaded} reload={reload}>
      {(definition) => {
        const facts = { definition, languageCode, onChanged }
        const { name, internalName } = definition.detail.entity
        return (
          <Page title={words.changeOf(name)} lead={words.changeLead}>
            <p class="acts">
              <a class="button" href={entityAddress(internalName)}>
                {texts.records.allOf(name)}
              </a>
            </p>
            <Languages value={languageCode} onValue={setLanguageCode} />
            <NamesCard {...facts} />
            <PartsCard {...facts} />
            <AddProperty {...facts} />
            <RelationsCard {...facts} />
            <UsesCard {...facts} />
            <CallSamples
              tool="describe_entity"
              method="POST"
              path={`/api/v1/entities/${encodeURIComponent(internalName)}`}
              input={{ languageCode }}
              toolInput={{ entity: internalName, languageCode }}
            />
          </Page>
        )
      }}
    </ShownPage>
  )
}
