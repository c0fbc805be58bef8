/** One record: its values and files, what stands below it, and every version that it had. */
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { holds } from '../me.ts'
import { Card, Confirm, Moment, Page } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { ShownPage } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'
import { FileLinks } from './files.tsx'
import { HistoryCard } from './history-card.tsx'
import { type Child, isFile, type Kind, kindOf, type Property, type Relations, relationsOf, type Value } from './kinds.ts'
import { Below, Peers } from './related.tsx'
import { entityAddress, recordAddress, textOf, titleIn } from './values.tsx'

const words = texts.records

export const readRecord = (entity: string, record: string) =>
  dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}', { params: { path: { entity, record } }, body: { withDataJson: false } }))
export type RecordShown = Awaited<ReturnType<typeof readRecord>>

function Shows({ property, value, isWithheld }: { property: Property; value: Value | undefined; isWithheld: boolean }) {
  if (isWithheld) return <span class="muted">{words.withheld}</span>
  if (isFile(property.type)) return <FileLinks value={value ?? null} isAnalysed={property.analysis !== undefined} />
  const text = textOf(property, value)
  return text === '' ? <span class="muted">–</span> : <>{text}</>
}

function DeleteDialog({ kind, record, title, onClose }: { kind: Kind; record: RecordShown; title: string; onClose: () => void }) {
  const act = useAct()
  const { route } = useLocation()
  const path = { entity: kind.entity, record: record.eiRecordId }
  return (
    <Confirm
      title={words.deleteTitle(title)}
      text={words.deleteHint}
      label={texts.delete}
      act={act}
      onClose={onClose}
      onDo={async () => {
        await dataOf(api.DELETE('/api/v1/entities/{entity}/instances/{record}', { params: { path } }))
        route(entityAddress(kind.entity))
      }}
    />
  )
}

function Values({ kind, record }: { kind: Kind; record: RecordShown }) {
  return (
    <Card title={words.values}>
      <dl class="facts">
        {kind.properties.map((property) => (
          <>
            <dt>{property.label}</dt>
            <dd>
              <Shows
                property={property}
                // The wire's values are those of the document.
                value={record.data[property.name] as Value | undefined}
                isWithheld={record.withheld?.includes(property.name) ?? false}
              />
            </dd>
          </>
        ))}
        <dt>{words.created}</dt>
        <dd>
          <Moment at={record.createdDate} />
        </dd>
        <dt>{words.modified}</dt>
        <dd>
          <Moment at={record.modifiedDate} />
        </dd>
      </dl>
    </Card>
  )
}

/** What the record shows one of: itself, the records of a kind below it, or those of a kind that it is linked with. */
interface Tab {
  readonly name: string
  readonly label: string
  readonly related?: Child
  readonly as?: 'child' | 'peer'
}

function tabsOf({ children }: Kind, { peers }: Relations): readonly Tab[] {
  return [
    { name: '', label: words.values },
    ...children.map((related) => ({ name: `below-${related.entity}`, label: related.label, related, as: 'child' as const })),
    ...peers.map((related) => ({ name: `with-${related.entity}`, label: related.label, related, as: 'peer' as const })),
  ]
}

/** Each tab is an address: a link leads to it, and the way back is the browser's. */
function Tabs({ tabs, current, address }: { tabs: readonly Tab[]; current: Tab; address: string }) {
  return (
    <nav class="tabs" aria-label={words.tabs}>
      <ul>
        {tabs.map((tab) => (
          <li key={tab.name}>
            <a
              href={tab.name === '' ? address : `${address}?show=${encodeURIComponent(tab.name)}`}
              aria-current={tab === current ? 'page' : undefined}
            >
              {tab.label}
            </a>
          </li>
        ))}
      </ul>
    </nav>
  )
}

function One({ kind, relations, record, reload }: { kind: Kind; relations: Relations; record: RecordShown; reload: () => unknown }) {
  const [isDeleting, setDeleting] = useState(false)
  const { query } = useLocation()
  const tabs = tabsOf(kind, relations)
  const own: Tab = { name: '', label: words.values }
  const current = tabs.find(({ name }) => name === (query['show'] ?? '')) ?? tabs[0] ?? own
  const facts = { kind, record: record.eiRecordId }
  const title = titleIn(kind, record)
  return (
    <Page title={title} lead={kind.label} wide={current.related !== undefined}>
      <p class="acts">
        {kind.access.edit && holds('DataEdit') && (
          <a class="button main" href={`${recordAddress(kind.entity, record.eiRecordId)}/edit`}>
            {words.edit}
          </a>
        )}
        {kind.access.delete && holds('DataDelete') && (
          <button type="button" onClick={() => setDeleting(true)}>
            {texts.delete}
          </button>
        )}
        <a class="button" href={entityAddress(kind.entity)}>
          {words.allOf(kind.label)}
        </a>
      </p>
      {tabs.length > 1 && <Tabs tabs={tabs} current={current} address={recordAddress(kind.entity, record.eiRecordId)} />}
      {current.related && current.as === 'child' && <Below key={current.name} {...facts} related={current.related} />}
      {current.related && current.as === 'peer' && <Peers key={current.name} {...facts} related={current.related} />}
      {!current.related && (
        <>
          <Values kind={kind} record={record} />
          <HistoryCard kind={kind} record={record} onReverted={reload} />
          <CallSamples
            tool="get_instance"
            method="POST"
            path={`/api/v1/entities/${encodeURIComponent(kind.entity)}/instances/${record.eiRecordId}`}
            input={{}}
            toolInput={{ entity: kind.entity, record: record.eiRecordId }}
          />
        </>
      )}
      {isDeleting && <DeleteDialog kind={kind} record={record} title={title} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

export function RecordPage() {
  const { entity = '', record = '' } = useRoute().params
  const ask = async () => {
    const [kind, relations, found] = await Promise.all([kindOf(entity), relationsOf(entity), readRecord(entity, record)])
    return { kind, relations, found }
  }
  const { loaded, reload } = useAnswer(ask, `${entity}/${record}`)
  return (
    <ShownPage of={loaded} reload={reload}>
      {({ kind, relations, found }) => <One key={found.rowHash} kind={kind} relations={relations} record={found} reload={reload} />}
    </ShownPage>
  )
}
