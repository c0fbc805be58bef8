/** What a kind is made of, in its order: properties and the kinds that stand below it, each changed and taken off from here. */
import { useState } from 'preact/hooks'

import { api, dataOf } from '../client.ts'
import { Card } from '../parts/basics.tsx'
import { Ordered } from '../parts/ordered.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { ChildDialog } from './child-dialog.tsx'
import { askEntityUses, askPropertyUses, type Definition, namesOf, type Part } from './definition.ts'
import { kindAddress } from './address.ts'
import { OptionsDialog } from './options-dialog.tsx'
import { PropertyDialog } from './property-dialog.tsx'
import { RecognitionDialog } from './recognition.tsx'
import { TakeAway } from './take-away.tsx'

interface Facts {
  readonly definition: Definition
  readonly languageCode: string
  readonly onChanged: () => Promise<unknown>
}

type Act = 'change' | 'options' | 'recognise' | 'takeOff'

function Marks({ part }: { part: Part }) {
  const said = [
    part.isRequired && (part.dataType === null ? words.childRequired : words.isRequired),
    part.isList && part.dataType !== null && words.isList,
    part.keyPart !== null && words.keyPartNumber(String(part.keyPart)),
    part.numbering && words.isNumbered,
    part.isSensitive && words.isSensitive,
    part.analysis && words.recognised,
  ].filter((one) => typeof one === 'string')
  return (
    <>
      {said.map((one) => (
        <>
          {' '}
          <span class="mark">{one}</span>
        </>
      ))}
    </>
  )
}

export function PartsCard({ definition, languageCode, onChanged }: Facts) {
  const [open, setOpen] = useState<{ act: Act; part: Part }>()
  const { entity, properties } = definition.detail
  const params = { path: { entity: entity.internalName } }
  const close = (isDone: boolean) => {
    setOpen(undefined)
    if (isDone) void onChanged()
  }
  const button = (act: Act, label: string, part: Part) => (
    <button type="button" aria-label={`${label}: ${namesOf(part).label}`} onClick={() => setOpen({ act, part })}>
      {label}
    </button>
  )
  return (
    <Card title={words.parts}>
      {properties.length === 0 && <p class="muted">{texts.none}</p>}
      <Ordered
        items={properties}
        idOf={({ entityPropertyId }) => entityPropertyId}
        nameOf={(part) => namesOf(part).label}
        onSave={async (entityPropertyIds) => {
          const body = { entityPropertyIds: [...entityPropertyIds] }
          await dataOf(api.POST('/api/v1/entities/{entity}/properties/reorder', { params, body }))
          await onChanged()
        }}
      >
        {(part) => {
          const { label, internalName } = namesOf(part)
          return (
            <div>
              <strong>{part.dataType === null ? <a href={kindAddress(internalName)}>{label}</a> : label}</strong>{' '}
              <span class="muted">{part.dataType === null ? words.standsBelow : words.types[part.dataType]}</span>
              <Marks part={part} />
              {part.propertyDescription && <p class="muted">{part.propertyDescription}</p>}
              <p class="acts">
                {button('change', texts.change, part)}
                {(part.dataType === 'Choice' || part.dataType === 'Hierarchy') && button('options', words.options, part)}
                {part.dataType === 'Attachment' && button('recognise', part.analysis ? words.recogniseNoMore : words.recognise, part)}
                {button('takeOff', words.takeOff, part)}
              </p>
            </div>
          )
        }}
      </Ordered>
      {open && <Opened {...open} entity={entity.internalName} languageCode={languageCode} onClose={close} />}
    </Card>
  )
}

function Opened({
  act,
  part,
  entity,
  languageCode,
  onClose,
}: {
  act: Act
  part: Part
  entity: string
  languageCode: string
  onClose: (isDone: boolean) => void
}) {
  const { label, internalName } = namesOf(part)
  const isChild = part.dataType === null
  const shared = { entity, languageCode, onClose }
  if (act === 'recognise') return <RecognitionDialog entity={entity} part={part} onClose={onClose} />
  if (act === 'options') return <OptionsDialog {...shared} property={internalName} label={label} />
  if (act === 'change')
    return isChild ? <ChildDialog {...shared} part={part} /> : <PropertyDialog {...shared} part={part} property={internalName} />
  return (
    <TakeAway
      title={words.takeOffTitle(label)}
      text={isChild ? words.takeOffChildHint : words.takeOffHint}
      label={words.takeOff}
      uses={() => (isChild ? askEntityUses(internalName) : askPropertyUses(internalName))}
      mayDiscard={!isChild}
      onDo={async ({ force, discardsValues }) => {
        if (isChild) {
          const path = { entity, childEntity: internalName }
          await dataOf(api.DELETE('/api/v1/entities/{entity}/children/{childEntity}', { params: { path, query: { force } } }))
          return
        }
        const path = { entity, entityPropertyId: String(part.entityPropertyId) }
        const query = { force, discardsValues }
        await dataOf(api.DELETE('/api/v1/entities/{entity}/properties/{entityPropertyId}', { params: { path, query } }))
      }}
      onClose={onClose}
    />
  )
}
