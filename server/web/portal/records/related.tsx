/** The records that stand below one, and those that it is linked with: a list of each kind, and what is done from there. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { answerOf, api, dataOf } from '../client.ts'
import { holds } from '../me.ts'
import { Card } from '../parts/basics.tsx'
import { More } from '../parts/more.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown } from '../parts/shown.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { texts } from '../texts/index.ts'
import { type Child, isFile, isShort, type Kind, kindOf } from './kinds.ts'
import { LinkDialog } from './link-dialog.tsx'
import { briefOf, entityAddress, recordAddress, titleIn } from './values.tsx'

const words = texts.records
const pageSize = 20
/** Beside the title. */
const mostColumns = 4

interface Facts {
  readonly kind: Kind
  readonly related: Child
  readonly record: number
}

async function askBelow(entity: string, record: number, childEntity: string, cursor: string | undefined) {
  const body = { childEntity, pageSize, withDataJson: false, ...(cursor === undefined ? {} : { cursor }) }
  const params = { path: { entity, record } }
  const { data, headers } = await answerOf(api.POST('/api/v1/entities/{entity}/instances/{record}/children', { params, body }))
  return { rows: data, next: headers.get('x-next-cursor') }
}
type Rows = Awaited<ReturnType<typeof askBelow>>
type Row = Rows['rows'][number]

async function askPeers(entity: string, record: number, peerEntity: string, cursor: string | undefined): Promise<Rows> {
  const body = { peerEntity, pageSize, withDataJson: false, ...(cursor === undefined ? {} : { cursor }) }
  const params = { path: { entity, record } }
  const { data, headers } = await answerOf(api.POST('/api/v1/entities/{entity}/instances/{record}/peers/list', { params, body }))
  return { rows: data, next: headers.get('x-next-cursor') }
}

function columnsOf(kind: Kind): readonly Column<Row>[] {
  const shown = kind.properties.filter(({ type }) => !isFile(type)).slice(0, mostColumns)
  return [
    { title: kind.label, of: (row) => <a href={recordAddress(kind.entity, row.eiRecordId)}>{titleIn(kind, row)}</a> },
    ...shown.map((property) => ({
      title: property.label,
      of: ({ data }: Row) => briefOf(property, data[property.name]),
      isShort: isShort(property),
    })),
  ]
}

export function Below({ kind, related, record }: Facts) {
  const load = (cursor?: string) => askBelow(kind.entity, record, related.entity, cursor)
  const { loaded, reload, set } = useAnswer(async () => ({ child: await kindOf(related.entity), ...(await load()) }))
  return (
    <Card
      title={related.label}
      actions={
        holds('DataEdit') && (
          <a class="button" href={`${entityAddress(related.entity)}/new?parent=${record}`}>
            {words.addBelow(related.label)}
          </a>
        )
      }
    >
      <Shown of={loaded} reload={reload}>
        {(shown) => (
          <>
            <Table
              label={related.label}
              none={shown.child.access.read ? words.noneBelow : texts.notAllowed}
              rows={shown.rows}
              keyOf={({ eiRecordId }) => eiRecordId}
              columns={columnsOf(shown.child)}
            />
            <More
              next={shown.next}
              load={async (cursor) => {
                const { rows, next } = await load(cursor)
                set({ ...shown, rows: [...shown.rows, ...rows], next })
              }}
            />
          </>
        )}
      </Shown>
      <CallSamples
        tool="list_child_instances"
        method="POST"
        path={`/api/v1/entities/${encodeURIComponent(kind.entity)}/instances/${record}/children`}
        input={{ childEntity: related.entity, pageSize }}
        toolInput={{ entity: kind.entity, record, childEntity: related.entity, pageSize }}
      />
    </Card>
  )
}

export function Peers({ kind, related, record }: Facts) {
  const act = useAct()
  const [isLinking, setLinking] = useState(false)
  const load = (cursor?: string) => askPeers(kind.entity, record, related.entity, cursor)
  const { loaded, reload, set } = useAnswer(async () => ({ peer: await kindOf(related.entity), ...(await load()) }))
  const path = { entity: kind.entity, record }
  const mayLink = holds('DataEdit') && kind.access.edit

  async function unlink({ eiRecordId }: Row): Promise<void> {
    const body = { peerEntity: related.entity, eiRecordIds: [eiRecordId] }
    await dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}/peers/unlink', { params: { path }, body }))
    await reload()
  }

  return (
    <Card
      title={related.label}
      actions={
        mayLink && (
          <button type="button" onClick={() => setLinking(true)}>
            {words.link(related.label)}
          </button>
        )
      }
    >
      <TroubleNote trouble={act.trouble} />
      <Shown of={loaded} reload={reload}>
        {(shown) => (
          <>
            <Table
              label={related.label}
              none={shown.peer.access.read ? words.nonePeers : texts.notAllowed}
              rows={shown.rows}
              keyOf={({ eiRecordId }) => eiRecordId}
              columns={[
                ...columnsOf(shown.peer),
                ...(mayLink
                  ? [
                      {
                        title: texts.actions,
                        of: (row: Row) => (
                          <p class="acts">
                            <button
                              type="button"
                              aria-label={words.unlinkOf(titleIn(shown.peer, row))}
                              aria-disabled={act.isBusy}
                              onClick={() => void act.run(() => unlink(row))}
                            >
                              {words.unlink}
                            </button>
                          </p>
                        ),
                      },
                    ]
                  : []),
              ]}
            />
            <More
              next={shown.next}
              load={async (cursor) => {
                const { rows, next } = await load(cursor)
                set({ ...shown, rows: [...shown.rows, ...rows], next })
              }}
            />
            {isLinking && (
              <LinkDialog
                peer={shown.peer}
                linked={shown.rows.map(({ eiRecordId }) => eiRecordId)}
                onLink={async (eiRecordId) => {
                  const body = { peerEntity: related.entity, eiRecordIds: [eiRecordId] }
                  await dataOf(api.POST('/api/v1/entities/{entity}/instances/{record}/peers', { params: { path }, body }))
                  await reload()
                }}
                onClose={() => setLinking(false)}
              />
            )}
          </>
        )}
      </Shown>
      <CallSamples
        tool="list_peer_instances"
        method="POST"
        path={`/api/v1/entities/${encodeURIComponent(kind.entity)}/instances/${record}/peers/list`}
        input={{ peerEntity: related.entity, pageSize }}
        toolInput={{ entity: kind.entity, record, peerEntity: related.entity, pageSize }}
      />
    </Card>
  )
}
