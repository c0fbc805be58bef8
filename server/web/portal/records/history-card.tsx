/** Every version of a record, the latest first: who, when, what changed; and the way back to one. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { holds } from '../me.ts'
import { Card, Confirm, Moment } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'
import type { Kind, Value } from './kinds.ts'
import type { RecordShown } from './record-page.tsx'
import { textOf } from './values.tsx'

const words = texts.records
const shown = 20

const askHistory = (entity: string, record: number) =>
  dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}/history', { params: { path: { entity, record } }, body: {} }))
type Version = Awaited<ReturnType<typeof askHistory>>[number]

function Changes({ kind, version }: { kind: Kind; version: Version }) {
  if (version.changes.length === 0) return null
  function read(name: string, value: Value): string {
    const property = kind.properties.find((one) => one.name === name)
    const text = property ? textOf(property, value) : String(value ?? '')
    return text === '' ? words.empty : text
  }
  return (
    <dl class="facts">
      {version.changes.map(({ property, from, to }) => (
        <>
          <dt>{kind.properties.find(({ name }) => name === property)?.label ?? property}</dt>
          <dd>
            {version.changeKind === 'added' ? (
              read(property, to)
            ) : (
              <>
                <del>{read(property, from)}</del> → <ins>{read(property, to)}</ins>
              </>
            )}
          </dd>
        </>
      ))}
    </dl>
  )
}

function RevertDialog({
  kind,
  record,
  version,
  onClose,
}: {
  kind: Kind
  record: RecordShown
  version: number
  onClose: (isDone: boolean) => void
}) {
  const act = useAct()
  const params = { path: { entity: kind.entity, record: record.eiRecordId } }
  const body = { version, expectedRowHash: record.rowHash }
  return (
    <Confirm
      title={words.revertTitle(version)}
      text={words.revertHint}
      label={words.revert}
      act={act}
      onClose={() => onClose(false)}
      onDo={async () => {
        await dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}/revert', { params, body }))
        onClose(true)
      }}
    />
  )
}

export function HistoryCard({ kind, record, onReverted }: { kind: Kind; record: RecordShown; onReverted: () => unknown }) {
  const { loaded, reload } = useAnswer(() => askHistory(kind.entity, record.eiRecordId))
  const [most, setMost] = useState(shown)
  const [reverting, setReverting] = useState<number>()
  return (
    <Card title={words.history}>
      <Shown of={loaded} reload={reload}>
        {(versions) => {
          const latest = versions.toReversed()
          return (
            <>
              <ol class="entries">
                {latest.slice(0, most).map((version) => (
                  <li key={version.version} class="whole">
                    <div>
                      <strong>{words.changeKinds[version.changeKind]}</strong> <Moment at={version.validFrom} />
                      <p class="muted">{version.by?.address ?? version.changedBy.displayName}</p>
                      <Changes kind={kind} version={version} />
                    </div>
                    {version.validTo !== null && kind.access.edit && holds('DataEdit') && version.changeKind !== 'deleted' && (
                      <div class="acts">
                        <button type="button" onClick={() => setReverting(version.version)}>
                          {words.revertTitle(version.version)}
                        </button>
                      </div>
                    )}
                  </li>
                ))}
              </ol>
              {latest.length > most && (
                <p class="acts">
                  <button type="button" onClick={() => setMost(most + 100)}>
                    {texts.more}
                  </button>
                </p>
              )}
            </>
          )
        }}
      </Shown>
      {reverting !== undefined && (
        <RevertDialog
          kind={kind}
          record={record}
          version={reverting}
          onClose={(isDone) => {
            setReverting(undefined)
            if (isDone) void onReverted()
          }}
        />
      )}
    </Card>
  )
}
