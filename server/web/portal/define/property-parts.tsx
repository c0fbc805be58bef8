/** What a property of a kind is made with: a new one with its type, or one that the tenant has already. */
import { Choice, Line } from '../parts/basics.tsx'
import { Tick } from '../parts/tick.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { type DraftProperty, internalNameOf, types } from './define.rules.ts'

export const newProperty = (id: number): DraftProperty => ({
  id,
  existing: '',
  label: '',
  type: 'Text',
  options: '',
  isRequired: false,
  isList: false,
  isKey: false,
  isRecognised: true,
})

export function PropertyFields({
  property,
  known,
  onChange,
  keyed,
}: {
  property: DraftProperty
  known: readonly { readonly internalName: string; readonly name: string }[]
  onChange: (property: DraftProperty) => void
  /** Whether it may be a part of the key. */
  keyed?: boolean
}) {
  const set = (change: Partial<DraftProperty>) => onChange({ ...property, ...change })
  const isNew = property.existing === ''
  const options = `options-${property.id}`
  const internalName = internalNameOf(property.label)
  const present = known.find((one) => one.internalName.toLowerCase() === internalName.toLowerCase())
  return (
    <>
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
            hint={internalName || words.nameHint}
            value={property.label}
            onValue={(label) => set({ label })}
            maxLength={200}
            required
          />
          {present && (
            <div class="note">
              <p>{words.thereIs(present.name)}</p>
              <button type="button" onClick={() => set({ existing: present.internalName })}>
                {words.takeIt}
              </button>
            </div>
          )}
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
        {isNew && property.type === 'Attachment' && (
          <Tick label={words.isRecognised} isOn={property.isRecognised} onTurn={(isRecognised) => set({ isRecognised })} />
        )}
        {keyed && <Tick label={words.isKey} isOn={property.isKey} onTurn={(isKey) => set({ isKey })} />}
      </p>
    </>
  )
}
