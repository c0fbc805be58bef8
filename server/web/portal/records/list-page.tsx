/** The records of one entity: filtered, sorted, with the columns that somebody wants, and the call that answers the same. */
import { useLocation, useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAnswer } from '../answers.ts'
import { answerOf, api } from '../client.ts'
import { holds } from '../me.ts'
import { Choice, Moment, Page } from '../parts/basics.tsx'
import { More } from '../parts/more.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown, ShownPage } from '../parts/shown.tsx'
import { type Column, Table } from '../parts/table.tsx'
import { texts } from '../texts/index.ts'
import { kindAddress } from '../define/address.ts'
import { fieldsFor, ownFields } from './fields.ts'
import { isEmptyGroup } from './filter.rules.ts'
import { Filters } from './filters.tsx'
import { isFile, isShort, type Kind, kindOf } from './kinds.ts'
import { listBody, type ListState, readState, writeState } from './list-state.rules.ts'
import { briefOf, entityAddress, recordAddress, titleIn } from './values.tsx'

const words = texts.records
const pageSize = 50
/** Shown where nobody chose columns. */
const firstColumns = 5

async function listRecords(entity: string, body: ReturnType<typeof listBody> & { cursor?: string }) {
  const { data, headers } = await answerOf(api.POST('/api/v1/entities/{entity}/instances/list', { params: { path: { entity } }, body }))
  return {
    records: data,
    next: headers.get('x-next-cursor'),
    total: headers.get('x-total-count'),
    atLeast: headers.get('x-total-at-least'),
  }
}
type Listed = Awaited<ReturnType<typeof listRecords>>
type Row = Listed['records'][number]

function countOf({ total, atLeast, records }: Listed): string {
  if (total !== null) return words.count(Number(total))
  return words.countAtLeast(atLeast === null ? records.length : Number(atLeast))
}

function Columns({ kind, shown, onChange }: { kind: Kind; shown: readonly string[]; onChange: (columns: readonly string[]) => void }) {
  return (
    <details class="card">
      <summary>{words.columns}</summary>
      <ul class="plain ticks tight">
        {kind.properties.map(({ name, label }) => (
          <li>
            <label>
              <input
                type="checkbox"
                checked={shown.includes(name)}
                onChange={(event) =>
                  onChange(
                    kind.properties
                      .map((one) => one.name)
                      .filter((one) => (one === name ? event.currentTarget.checked : shown.includes(one))),
                  )
                }
              />
              <span>{label}</span>
            </label>
          </li>
        ))}
      </ul>
    </details>
  )
}

function Records({ kind, state, onState }: { kind: Kind; state: ListState; onState: (state: ListState) => void }) {
  const [isFiltering, setFiltering] = useState(false)
  const offered = useAnswer(() => fieldsFor(kind, state, isFiltering), String(isFiltering)).loaded
  const fields = offered.state === 'there' ? offered.value : ownFields(kind)
  const ask = async () => {
    const known = await fieldsFor(kind, state, false)
    const body = listBody(state, new Map<string, string>(known.map(({ name, type }) => [name, type])), pageSize)
    return { body, ...(await listRecords(kind.entity, body)) }
  }
  const { loaded, reload, set } = useAnswer(ask, writeState({ ...state, columns: [] }))
  const shown = state.columns.length > 0 ? state.columns : kind.properties.slice(0, firstColumns).map(({ name }) => name)

  function sortOf(name: string) {
    const now = state.sort === name ? 'ascending' : state.sort === `-${name}` ? 'descending' : 'none'
    return { now, turn: () => onState({ ...state, sort: now === 'ascending' ? `-${name}` : name }) } as const
  }
  const columns: readonly Column<Row>[] = [
    {
      title: words.key,
      sort: sortOf('externalKey'),
      of: (row) => <a href={recordAddress(kind.entity, row.eiRecordId)}>{titleIn(kind, row)}</a>,
    },
    ...kind.properties
      .filter(({ name }) => shown.includes(name))
      .map((property) => ({
        title: property.label,
        ...(property.isList || isFile(property.type) ? {} : { sort: sortOf(property.name) }),
        of: ({ data }: Row) => briefOf(property, data[property.name]),
        isShort: isShort(property),
      })),
    { title: words.modified, sort: sortOf('modifiedDate'), of: ({ modifiedDate }) => <Moment at={modifiedDate} />, isShort: true },
  ]
  const orders = [{ value: '', label: words.anyOrder }].concat(
    columns.flatMap(({ title, sort }) => {
      const name = fields.find(({ label }) => label === title)?.name ?? ''
      return sort && name !== ''
        ? [
            { value: name, label: words.upwards(title) },
            { value: `-${name}`, label: words.downwards(title) },
          ]
        : []
    }),
  )
  return (
    <>
      <Filters
        fields={fields}
        filter={state.filter}
        onApply={(filter) => onState({ ...state, filter })}
        onOpen={() => setFiltering(true)}
      />
      <Columns kind={kind} shown={shown} onChange={(chosen) => onState({ ...state, columns: chosen })} />
      <Choice label={words.order} value={state.sort} onValue={(sort) => onState({ ...state, sort })} options={orders} />
      <Shown of={loaded} reload={reload}>
        {(listed) => (
          <>
            <p class="muted" role="status">
              {countOf(listed)}
            </p>
            <Table
              label={kind.label}
              none={!kind.access.read ? texts.notAllowed : isEmptyGroup(state.filter) ? words.noneYet : words.none}
              rows={listed.records}
              keyOf={({ eiRecordId }) => eiRecordId}
              columns={columns}
            />
            <More
              next={listed.next}
              load={async (cursor) => {
                const following = await listRecords(kind.entity, { ...listed.body, cursor })
                set({ ...listed, records: [...listed.records, ...following.records], next: following.next })
              }}
            />
            <CallSamples
              tool="list_instances"
              method="POST"
              path={`/api/v1/entities/${encodeURIComponent(kind.entity)}/instances/list`}
              input={listed.body}
              toolInput={{ entity: kind.entity, ...listed.body }}
            />
          </>
        )}
      </Shown>
    </>
  )
}

export function ListPage() {
  const entity = useRoute().params['entity'] ?? ''
  const { url, route } = useLocation()
  const { loaded, reload } = useAnswer(() => kindOf(entity), entity)
  const at = url.indexOf('?')
  const query = at === -1 ? '' : url.slice(at)
  return (
    <ShownPage of={loaded} reload={reload}>
      {(kind) => (
        <Page title={kind.label} lead={kind.description} wide>
          <p class="acts">
            {kind.access.create && holds('DataEdit') && (
              <a class="button main" href={`${entityAddress(entity)}/new`}>
                {words.create}
              </a>
            )}
            {holds('BuilderAdmin') && (
              <a class="button" href={kindAddress(entity)}>
                {words.changeKind}
              </a>
            )}
          </p>
          <Records
            key={entity}
            kind={kind}
            state={readState(query)}
            onState={(state) => route(`${entityAddress(entity)}${writeState(state)}`, true)}
          />
        </Page>
      )}
    </ShownPage>
  )
}
