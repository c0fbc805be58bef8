/** A new kind of record: what it is called and what is kept of it, made in one call or not at all. */
import { useLocation } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { me } from '../me.ts'
import { ActForm, Choice, Line, Page, Shown } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { entityAddress } from '../records/values.tsx'
import { texts } from '../texts/index.ts'
import { catalogOf, type DraftKind, type DraftProperty, internalNameOf, types } from './define.rules.ts'

const words = texts.define

const listProperties = () => dataOf(api.POST('/api/v1/properties/list', { body: {} }))
type Known = Awaited<ReturnType<typeof listProperties>>

function Tick({ label, isOn, onTurn }: { label: string; isOn: boolean; onTurn: (isOn: boolean) => void }) {
  return (
    <label class="tick">
      <input type="checkbox" checked={isOn} onChange={(event) => onTurn(event.currentTarget.checked)} />
      <span>{label}</span>
    </label>
  )
}

function PropertyFields({
  property,
  place,
  known,
  onChange,
  onRemove,
}: {
  property: DraftProperty
  place: number
  known: Known
  onChange: (property: DraftProperty) => void
  onRemove: () => void
}) {
  const set = (change: Partial<DraftProperty>) => onChange({ ...property, ...change })
  const isNew = property.existing === ''
  const options = `options-${property.id}`
  return (
    <fieldset class="card">
      <legend>{words.propertyNumber(place)}</legend>
      <Choice
        label={words.which}
        value={property.existing}
        onValue={(existing) => set({ existing })}
        options={[
          { value: '', label: words.newProperty },
          ...known.map(({ internalName, name }) => ({ value: internalName, label: name })),
        ]}
      />
      {isNew && (
        <>
          <Line
            label={words.name}
            hint={internalNameOf(property.label) || words.nameHint}
            value={property.label}
            onValue={(label) => set({ label })}
            maxLength={200}
            required
          />
          <Choice
            label={words.type}
            value={property.type}
            onValue={(type) => set({ type: types.find((one) => one === type) ?? 'Text' })}
            options={types.map((type) => ({ value: type, label: words.types[type] }))}
          />
        </>
      )}
      {isNew && property.type === 'Choice' && (
        <div class="field">
          <label for={options}>{words.options}</label>
          <small id={`${options}-hint`}>{texts.records.onePerLine}</small>
          <textarea
            id={options}
            aria-describedby={`${options}-hint`}
            rows={4}
            required
            value={property.options}
            onInput={(event) => set({ options: event.currentTarget.value })}
          />
        </div>
      )}
      <p class="acts">
        <Tick label={words.isRequired} isOn={property.isRequired} onTurn={(isRequired) => set({ isRequired })} />
        <Tick label={words.isList} isOn={property.isList} onTurn={(isList) => set({ isList })} />
        <Tick label={words.isKey} isOn={property.isKey} onTurn={(isKey) => set({ isKey })} />
        <button type="button" aria-label={`${texts.remove}: ${words.propertyNumber(place)}`} onClick={onRemove}>
          {texts.remove}
        </button>
      </p>
    </fieldset>
  )
}

const newProperty = (id: number): DraftProperty => ({
  id,
  existing: '',
  label: '',
  type: 'Text',
  options: '',
  isRequired: false,
  isList: false,
  isKey: false,
})

function Definition({ known }: { known: Known }) {
  const act = useAct()
  const { route } = useLocation()
  const [kind, setKind] = useState<DraftKind>({ label: '', description: '', properties: [newProperty(1)] })
  const body = catalogOf(kind, me.value?.profile.languageCode ?? 'en-US')
  const setProperties = (properties: readonly DraftProperty[]) => setKind({ ...kind, properties })
  const next = Math.max(0, ...kind.properties.map(({ id }) => id)) + 1
  async function make() {
    const { entities } = await dataOf(api.POST('/api/v1/catalog/import', { body, headers: once() }))
    route(entityAddress(entities[0]?.internalName ?? ''))
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
          <PropertyFields
            key={property.id}
            property={property}
            place={at + 1}
            known={known}
            onChange={(changed) => setProperties(kind.properties.map((one) => (one.id === changed.id ? changed : one)))}
            onRemove={() => setProperties(kind.properties.filter(({ id }) => id !== property.id))}
          />
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
