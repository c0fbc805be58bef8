/** A new kind of record: what it is called and what is kept of it, made in one call or not at all. */
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { me } from '../me.ts'
import { ActForm, Line, Page } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown } from '../parts/shown.tsx'
import { entityAddress } from '../records/values.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { catalogOf, type DraftKind, type DraftProperty, internalNameOf } from './define.rules.ts'
import { newProperty, PropertyFields } from './property-parts.tsx'
import { recogniseNew } from './recognition.tsx'

const listProperties = () => dataOf(api.POST('/api/v1/properties/list', { body: {} }))
type Known = Awaited<ReturnType<typeof listProperties>>

function Definition({ known }: { known: Known }) {
  const act = useAct()
  const { route } = useLocation()
  const [kind, setKind] = useState<DraftKind>({ label: '', description: '', properties: [newProperty(1)] })
  const body = catalogOf(kind, me.value?.profile.languageCode ?? 'en-US')
  const setProperties = (properties: readonly DraftProperty[]) => setKind({ ...kind, properties })
  const next = Math.max(0, ...kind.properties.map(({ id }) => id)) + 1
  const [made, setMade] = useState<string>()
  async function make() {
    let entity = made
    if (entity === undefined) {
      const { entities } = await dataOf(api.POST('/api/v1/catalog/import', { body, headers: once() }))
      entity = entities[0]?.internalName ?? ''
      // Made: where what follows is refused, the next try goes on from there.
      setMade(entity)
    }
    await recogniseNew(entity, kind.properties)
    route(entityAddress(entity))
  }
  return (
    <>
      <ActForm act={act} label={words.make} onSend={make}>
        <Line
          label={words.kindName}
          hint={internalNameOf(kind.label) || words.nameHint}
          value={kind.label}
          onValue={(label) => setKind({ ...kind, label })}
          maxLength={200}
          required
        />
        <Line
          label={words.description}
          value={kind.description}
          onValue={(description) => setKind({ ...kind, description })}
          maxLength={2_000}
        />
        {kind.properties.map((property, at) => (
          <fieldset class="card" key={property.id}>
            <legend>{words.propertyNumber(at + 1)}</legend>
            <PropertyFields
              property={property}
              known={known}
              keyed
              onChange={(changed) => setProperties(kind.properties.map((one) => (one.id === changed.id ? changed : one)))}
            />
            <p class="acts">
              <button
                type="button"
                aria-label={`${texts.remove}: ${words.propertyNumber(at + 1)}`}
                onClick={() => setProperties(kind.properties.filter(({ id }) => id !== property.id))}
              >
                {texts.remove}
              </button>
            </p>
          </fieldset>
        ))}
        <p>
          <button type="button" onClick={() => setProperties([...kind.properties, newProperty(next)])}>
            {words.addProperty}
          </button>
        </p>
      </ActForm>
      <CallSamples tool="import_catalog" method="POST" path="/api/v1/catalog/import" input={body} />
    </>
  )
}

export function DefinePage() {
  const { loaded, reload } = useAnswer(listProperties)
  return (
    <Page title={words.title} lead={words.lead}>
      <Shown of={loaded} reload={reload}>
        {(known) => <Definition known={known} />}
      </Shown>
    </Page>
  )
}
