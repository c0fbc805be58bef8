/** One record: its values and files, what stands below it, and every version that it had. */
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { holds } from '../me.ts'
import { Card, Confirm, Moment, Page, Shown } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { texts } from '../texts/index.ts'
import { FileLinks } from './files.tsx'
import { HistoryCard } from './history-card.tsx'
import { type Child, isFile, type Kind, kindOf, type Property, type Value } from './kinds.ts'
import { entityAddress, recordAddress, textOf, titleOf } from './values.tsx'

const words = texts.records

export const readRecord = (entity: string, record: string) =>
  dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}', { params: { path: { entity, record } }, body: { withDataJson: false } }))
export type RecordShown = Awaited<ReturnType<typeof readRecord>>

function Shows({ property, value, isWithheld }: { property: Property; value: Value | undefined; isWithheld: boolean }) {
  if (isWithheld) return <span class="muted">{words.withheld}</span>
  if (isFile(property.type)) return <FileLinks value={value ?? null} />
  const text = textOf(property, value)
  return text === '' ? <span class="muted">–</span> : <>{text}</>
}

function Below({ kind, child, record }: { kind: Kind; child: Child; record: number }) {
  const ask = () =>
    dataOf(
      api.POST('/api/v1/entities/{entity}/instances/{record}/children', {
        params: { path: { entity: kind.entity, record } },
        body: { childEntity: child.entity, pageSize: 20, withDataJson: false },
      }),
    )
  const { loaded, reload } = useAnswer(ask, `${child.entity} ${record}`)
  return (
    <Card
      title={child.label}
      actions={
        holds('DataEdit') && (
          <a class="button" href={`${entityAddress(child.entity)}/new?parent=${record}`}>
            {words.addBelow(child.label)}
          </a>
        )
      }
    >
      <Shown of={loaded} reload={reload}>
        {(rows) =>
          rows.length === 0 ? (
            <p class="muted">{texts.none}</p>
          ) : (
            <ul class="plain">
              {rows.map((row) => (
                <li>
                  <a href={recordAddress(child.entity, row.eiRecordId)}>{titleOf(row)}</a>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Card>
  )
}

function DeleteDialog({ kind, record, onClose }: { kind: Kind; record: RecordShown; onClose: () => void }) {
  const act = useAct()
  const { route } = useLocation()
  const path = { entity: kind.entity, record: record.eiRecordId }
  return (
    <Confirm
      title={words.deleteTitle(titleOf(record))}
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

function One({ kind, record, reload }: { kind: Kind; record: RecordShown; reload: () => unknown }) {
  const [isDeleting, setDeleting] = useState(false)
  return (
    <Page title={titleOf(record)} lead={kind.label}>
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
      {kind.children.map((child) => (
        <Below kind={kind} child={child} record={record.eiRecordId} />
      ))}
      <HistoryCard kind={kind} record={record} onReverted={reload} />
      <CallSamples
        tool="get_instance"
        method="POST"
        path={`/api/v1/entities/${encodeURIComponent(kind.entity)}/instances/${record.eiRecordId}`}
        input={{}}
        toolInput={{ entity: kind.entity, record: record.eiRecordId }}
      />
      {isDeleting && <DeleteDialog kind={kind} record={record} onClose={() => setDeleting(false)} />}
    </Page>
  )
}

export function RecordPage() {
  const { entity = '', record = '' } = useRoute().params
  const ask = async () => {
    const [kind, found] = await Promise.all([kindOf(entity), readRecord(entity, record)])
    return { kind, found }
  }
  const { loaded, reload } = useAnswer(ask, `${entity}/${record}`)
  return (
    <Shown of={loaded} reload={reload}>
      {({ kind, found }) => <One key={found.rowHash} kind={kind} record={found} reload={reload} />}
    </Shown>
  )
}
