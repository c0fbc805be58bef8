/** A property of a kind, while somebody changes it: its names and rules are those of every kind that has it, what is required is this kind's own. */
import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { ActForm, Choice, Dialog, Line } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { Tick } from '../parts/tick.tsx'
import { words } from '../texts/define/index.ts'
import { texts } from '../texts/index.ts'
import { askDetail, askProperty, askPropertyUses, type Part } from './definition.ts'
import { useEdited } from './edited.ts'
import { NameLines } from './name-lines.tsx'
import { callsOf, factsOf, type PropertyFacts } from './property-fields.rules.ts'

interface Facts {
  readonly entity: string
  readonly part: Part
  readonly property: string
  readonly languageCode: string
  readonly onClose: (isDone: boolean) => void
}

const labels: Readonly<Record<keyof PropertyFacts, string>> = {
  name: words.name,
  description: words.help,
  internalName: words.internalName,
  isRequired: words.isRequired,
  isList: words.isList,
  keyPart: words.keyPart,
  least: words.least,
  most: words.most,
  decimals: words.decimals,
  pattern: words.pattern,
  fileTypes: words.fileTypes,
  isSensitive: words.isSensitive,
}

export function PropertyDialog(facts: Facts) {
  const { property, languageCode, onClose } = facts
  const { loaded, reload } = useAnswer(async () => {
    const [detail, uses] = await Promise.all([askProperty(property, languageCode), askPropertyUses(property)])
    return { detail, uses }
  })
  return (
    <Dialog title={words.changeOf(facts.part.propertyName ?? property)} onClose={() => onClose(false)}>
      <Shown of={loaded} reload={reload}>
        {({ detail, uses }) => {
          const others = uses.entities.map(({ internalName }) => internalName).filter((name) => name !== facts.entity)
          return (
            <>
              {others.length > 0 && <p class="note">{words.sharedWith(others)}</p>}
              <Fields {...facts} before={factsOf(facts.part, detail.property)} />
            </>
          )
        }}
      </Shown>
    </Dialog>
  )
}

function Fields({ entity, part, property, languageCode, onClose, before }: Facts & { before: PropertyFacts }) {
  const act = useAct()
  const { entityPropertyId, dataType } = part
  const { draft, set, save } = useEdited(before, labels, async () => {
    const [kind, detail] = await Promise.all([askDetail(entity, languageCode), askProperty(String(part.propertyId), languageCode)])
    // Where the property was taken off meanwhile, the API says so.
    return factsOf(kind.properties.find((one) => one.entityPropertyId === entityPropertyId) ?? part, detail.property)
  })

  const send = () =>
    save(async (changed, typed) => {
      const { attached, rules, display } = callsOf(changed, typed)
      // By its id, which a new name leaves alone.
      const path = { property: String(part.propertyId ?? property) }
      if (attached) {
        const params = { path: { entity, entityPropertyId: String(entityPropertyId) } }
        await dataOf(api.PUT('/api/v1/entities/{entity}/properties/{entityPropertyId}', { params, body: attached }))
      }
      if (rules) await dataOf(api.PUT('/api/v1/properties/{property}', { params: { path }, body: rules }))
      if (display)
        await dataOf(api.POST('/api/v1/properties/{property}/displays', { params: { path }, body: { languageCode, ...display } }))
    }).then(() => onClose(true))

  const isNumeric = dataType === 'Number' || dataType === 'Currency'
  const isFile = dataType === 'Attachment' || dataType === 'Signature' || dataType === 'Binary'
  return (
    <ActForm act={act} label={texts.save} onSend={send} cancel={() => onClose(false)}>
      <NameLines draft={draft} set={set} labels={labels} />
      <Tick label={words.isRequired} isOn={draft.isRequired} onTurn={(isRequired) => set({ isRequired })} />
      <Tick label={words.isList} isOn={draft.isList} onTurn={(isList) => set({ isList })} />
      <Choice
        label={words.keyPart}
        value={draft.keyPart}
        onValue={(keyPart) => set({ keyPart })}
        options={['', '1', '2', '3'].map((value) => ({ value, label: value === '' ? words.noKeyPart : words.keyPartNumber(value) }))}
      />
      {(isNumeric || dataType === 'Text') && (
        <>
          <Line
            label={isNumeric ? words.least : words.leastLength}
            type="number"
            step="any"
            value={draft.least}
            onValue={(least) => set({ least })}
          />
          <Line
            label={isNumeric ? words.most : words.mostLength}
            type="number"
            step="any"
            value={draft.most}
            onValue={(most) => set({ most })}
          />
        </>
      )}
      {isNumeric && <Line label={words.decimals} type="number" step="1" value={draft.decimals} onValue={(decimals) => set({ decimals })} />}
      {dataType === 'Text' && (
        <Line
          label={words.pattern}
          hint={words.patternHint}
          value={draft.pattern}
          onValue={(pattern) => set({ pattern })}
          maxLength={500}
        />
      )}
      {isFile && (
        <Line
          label={words.fileTypes}
          hint={words.fileTypesHint}
          value={draft.fileTypes}
          onValue={(fileTypes) => set({ fileTypes })}
          maxLength={1_000}
        />
      )}
      <Tick label={words.isSensitive} isOn={draft.isSensitive} onTurn={(isSensitive) => set({ isSensitive })} />
    </ActForm>
  )
}
