/** The calls whose cost is watched as an entity grows, said once for each product. */
import { data } from './workload.ts'

/** A call to Fieldloop. */
export interface Named {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

/** A call to Directus, below /items/meter or another collection. */
export interface Items {
  readonly method: string
  readonly collection?: 'meter' | 'visit'
  readonly path?: string
  readonly body?: unknown
}

export interface ScaleMeasure {
  readonly name: string
  readonly isRead: boolean
  /** One call after the other. */
  readonly isAlone?: boolean
  /** The most calls of a round: of a write, there are only so many records. */
  readonly most?: number
  /** An answer that is shorter found too little. */
  readonly atLeast?: number
  ours(number: number): Named
  directus?(number: number): Items
}

const search = (query: object): Items => ({ method: 'SEARCH', body: { query } })

/** Visits of meters: one to five meters. */
export const visitsOf = (rows: number): number => Math.floor(rows / 5)

/** A visit, and the number of its meter. */
export const visit = (number: number, rows: number) => ({
  meter: (number * 31) % rows,
  minutes: (number * 17) % 241,
  remark: `Visit ${number} of the ${number % 5} shift`,
})

/** What is made in Fieldloop beside the meters: their visits, a view and a form with a list of visits. */
export const besideMeters = [
  ['create_property', { internalName: 'Minutes', dataType: 'Number' }],
  ['create_entity', { internalName: 'Visit', properties: [{ property: 'Minutes' }, { property: 'Remark' }] }],
  ['attach_child_entity', { entity: 'Meter', childEntity: 'Visit', isList: true }],
  [
    'save_view',
    {
      entity: 'Meter',
      internalName: 'PlannedMeters',
      isShared: true,
      viewJson: {
        columns: ['Title', 'Place', 'Status', 'CheckedAt'],
        filters: { logic: 'AND', rules: [{ property: 'Status', op: 'eq', value: 'planned' }] },
        sort: [{ property: 'CheckedAt', direction: 'asc' }],
        pageSize: 50,
      },
    },
  ],
  [
    'create_form',
    {
      entity: 'Meter',
      internalName: 'MeterForm',
      isShared: true,
      layoutJson: {
        sections: [
          { type: 'detail', name: 'head', fields: ['Title', 'Place', 'Status', 'Reading'].map((property) => ({ property })) },
          { type: 'list', name: 'visits', entity: 'Visit', fields: ['Minutes', 'Remark'].map((property) => ({ property })) },
        ],
      },
    },
  ],
] as const

/** The row of a peer's table, or of its item. */
export function itemOf(number: number, generation = 0): Record<string, unknown> {
  const row = Object.entries(data(number, generation)).map(([name, value]) => [
    name.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase(),
    value,
  ])
  return { key1: `meter-${number}`, ...Object.fromEntries(row) }
}

const list = (input: object): Named => ({
  operation: 'list_instances',
  input: { entity: 'Meter', pageSize: 50, includeTotal: false, ...input },
})

/** The measures of an entity of so many rows; `ids` are some of its records, and the peers' count from 1. */
export function scaleMeasures(rows: number, ids: readonly number[]): ScaleMeasure[] {
  const idOf = (number: number) => String(ids[(number * 7919) % ids.length])
  const numberOf = (number: number) => (number * 7919) % rows
  const deep = Math.floor(rows / 50) - 3
  const read = (name: string, ours: ScaleMeasure['ours'], directus?: ScaleMeasure['directus'], atLeast?: number): ScaleMeasure => ({
    name,
    isRead: true,
    ours,
    ...(directus ? { directus } : {}),
    ...(atLeast === undefined ? {} : { atLeast }),
  })
  const page = 5_000
  const fresh = (size: number, number: number) =>
    Array.from({ length: size }, (_, row) => ({ key1: `fresh-${number}-${row}`, data: data(row, number) }))
  return [
    read(
      'get',
      (number) => ({ operation: 'get_instance', input: { entity: 'Meter', record: idOf(number) } }),
      (number) => ({ method: 'GET', path: `/${numberOf(number) + 1}` }),
      200,
    ),
    read(
      'get by key',
      (number) => ({ operation: 'get_instance_by_key', input: { entity: 'Meter', key1: `meter-${numberOf(number)}` } }),
      (number) => search({ filter: { key1: { _eq: `meter-${numberOf(number)}` } }, limit: 1 }),
      200,
    ),
    read(
      'page of 50 by id',
      () => list({}),
      () => search({ limit: 50, sort: ['id'] }),
      page,
    ),
    read(
      'page of 50 by id, counted',
      () => list({ includeTotal: undefined }),
      () => search({ limit: 50, sort: ['id'], meta: 'filter_count' }),
      page,
    ),
    read(
      'deep page by id',
      () => list({ page: deep }),
      () => search({ limit: 50, page: deep, sort: ['id'] }),
      page,
    ),
    read(
      'page filtered and sorted',
      (number) =>
        list({
          filterRules: [
            { property: 'Place', op: 'eq', value: `Site ${number % 97}` },
            { property: 'Reading', op: 'gte', value: number % 50 },
          ],
          sort: [{ property: 'CheckedAt', direction: 'desc' }],
        }),
      (number) =>
        search({
          filter: { _and: [{ place: { _eq: `Site ${number % 97}` } }, { reading: { _gte: number % 50 } }] },
          sort: ['-checked_at'],
          limit: 50,
        }),
      page,
    ),
    read(
      'page sorted by date',
      () => list({ sort: [{ property: 'InstalledOn', direction: 'desc' }] }),
      () => search({ sort: ['-installed_on'], limit: 50 }),
      page,
    ),
    read(
      'page sorted by text',
      () => list({ sort: [{ property: 'Title', direction: 'asc' }] }),
      () => search({ sort: ['title'], limit: 50 }),
      page,
    ),
    read(
      'page sorted by option',
      () => list({ sort: [{ property: 'Status', direction: 'asc' }] }),
      () => search({ sort: ['status'], limit: 50 }),
      page,
    ),
    read(
      'page of one option, by date',
      () =>
        list({ filterRules: [{ property: 'Status', op: 'eq', value: 'planned' }], sort: [{ property: 'CheckedAt', direction: 'asc' }] }),
      () => search({ filter: { status: { _eq: 'planned' } }, sort: ['checked_at'], limit: 50 }),
      page,
    ),
    read(
      'equality',
      (number) =>
        list({ filterRules: [{ property: 'Serial', op: 'eq', value: `SN-${String(numberOf(number) * 7919).padStart(10, '0')}` }] }),
      (number) => search({ filter: { serial: { _eq: `SN-${String(numberOf(number) * 7919).padStart(10, '0')}` } }, limit: 50 }),
      100,
    ),
    read(
      'contains',
      (number) => list({ filterRules: [{ property: 'Title', op: 'contains', value: `METER ${numberOf(number)} of` }] }),
      (number) => search({ filter: { title: { _icontains: `METER ${numberOf(number)} of` } }, limit: 50 }),
      100,
    ),
    read(
      'count under a filter',
      (number) => ({
        operation: 'count_instances',
        input: { entity: 'Meter', filterRules: [{ property: 'Floor', op: 'eq', value: number % 40 }] },
      }),
      (number) => search({ filter: { floor: { _eq: number % 40 } }, aggregate: { count: '*' } }),
    ),
    read(
      'search',
      (number) => ({
        operation: 'search_instances',
        input: { query: `meter ${numberOf(number)} harbour`, entities: ['Meter'], pageSize: 20 },
      }),
      (number) => search({ search: `Meter ${numberOf(number)} of the harbour`, limit: 20 }),
      100,
    ),
    read(
      'page of children by what their parent is',
      (number) => ({
        operation: 'list_instances',
        input: {
          entity: 'Visit',
          pageSize: 50,
          includeTotal: false,
          filterRules: [{ entity: 'Meter', property: 'Place', op: 'eq', value: `Site ${number % 97}` }],
          sort: [{ property: 'Minutes', direction: 'desc' }],
        },
      }),
      (number) => ({
        collection: 'visit',
        ...search({ filter: { meter: { place: { _eq: `Site ${number % 97}` } } }, sort: ['-minutes'], limit: 50 }),
      }),
      200,
    ),
    read(
      'group and sum',
      () => ({
        operation: 'aggregate_instances',
        input: {
          entity: 'Meter',
          groupBy: [{ property: 'Place' }],
          aggregates: [
            { fn: 'COUNT', alias: 'meters' },
            { fn: 'SUM', property: 'Reading', alias: 'reading' },
          ],
        },
      }),
      () => search({ aggregate: { count: '*', sum: ['reading'] }, groupBy: ['place'], limit: -1 }),
      1_000,
    ),
    read(
      'report over a join, grouped, with having',
      () => ({
        operation: 'execute_report_inline',
        input: {
          definitionJson: {
            primaryEntityId: 'Meter',
            joins: [{ entityId: 'Visit', joinType: 'child' }],
            groupBy: [{ entity: 'Meter', property: 'Place' }],
            aggregates: [
              { entity: 'Visit', fn: 'COUNT', alias: 'visits' },
              { entity: 'Visit', property: 'Minutes', fn: 'SUM', alias: 'minutes' },
            ],
            having: { logic: 'AND', rules: [{ property: 'minutes', op: 'gt', value: 10 }] },
            sort: [{ property: 'minutes', direction: 'desc' }],
          },
        },
      }),
      undefined,
      1_000,
    ),
    read(
      'view',
      () => ({ operation: 'execute_view', input: { entity: 'Meter', view: 'PlannedMeters', includeTotal: false } }),
      () =>
        search({
          filter: { status: { _eq: 'planned' } },
          fields: ['id', 'key1', 'title', 'place', 'status', 'checked_at'],
          sort: ['checked_at'],
          limit: 50,
        }),
      page,
    ),
    {
      ...read(
        'export of a fortieth as CSV',
        (number) => ({
          operation: 'export_instances',
          input: { entity: 'Meter', format: 'csv', filterRules: [{ property: 'Floor', op: 'eq', value: number % 40 }] },
        }),
        (number) => ({
          method: 'GET',
          path: `?export=csv&limit=-1&filter=${encodeURIComponent(JSON.stringify({ floor: { _eq: number % 40 } }))}`,
        }),
      ),
      isAlone: true,
      most: 40,
    },
    read('changed since', () => ({ operation: 'list_instances_changed_since', input: { entity: 'Meter', pageSize: 50 } }), undefined, page),
    read(
      'page as of a time',
      () => ({
        operation: 'list_instances_as_of',
        input: { entity: 'Meter', asOfDate: new Date(Date.now() - 1_000).toISOString(), pageSize: 50, includeTotal: false },
      }),
      undefined,
      page,
    ),
    {
      name: 'create',
      isRead: false,
      ours: (number) => ({ operation: 'save_instance', input: { entity: 'Meter', key1: `made-${number}`, data: data(number, 1) } }),
      directus: (number) => ({ method: 'POST', body: { ...itemOf(number, 1), key1: `made-${number}` } }),
    },
    {
      name: 'update',
      isRead: false,
      ours: (number) => ({
        operation: 'upsert_instance',
        input: { entity: 'Meter', record: idOf(number), data: { Remark: `By call ${number}`, Reading: number + 0.5 } },
      }),
      directus: (number) => ({
        method: 'PATCH',
        path: `/${numberOf(number) + 1}`,
        body: { remark: `By call ${number}`, reading: number + 0.5 },
      }),
    },
    {
      name: 'form with five rows, in one save',
      isRead: false,
      ours: (number) => ({
        operation: 'create_form_record_multi',
        input: {
          form: 'MeterForm',
          primary: { values: { Title: `Form ${number}`, Place: `Site ${number % 97}`, Status: 'open', Reading: number } },
          sections: {
            visits: { rows: Array.from({ length: 5 }, (_, row) => ({ values: { Minutes: row, Remark: `Visit ${number}-${row}` } })) },
          },
        },
      }),
      directus: (number) => ({
        method: 'POST',
        body: {
          title: `Form ${number}`,
          place: `Site ${number % 97}`,
          status: 'open',
          reading: number,
          visits: Array.from({ length: 5 }, (_, row) => ({ minutes: row, remark: `Visit ${number}-${row}` })),
        },
      }),
    },
    {
      name: 'bulk of 1,000, fresh',
      isRead: false,
      isAlone: true,
      most: 20,
      ours: (number) => ({ operation: 'save_instances_bulk', input: { entity: 'Meter', rows: fresh(1_000, number) } }),
      directus: (number) => ({
        method: 'POST',
        body: fresh(1_000, number).map((row, index) => ({ ...itemOf(index, number), key1: row.key1 })),
      }),
    },
    {
      name: 'bulk of 1,000, unchanged',
      isRead: false,
      isAlone: true,
      most: 20,
      ours: () => ({
        operation: 'save_instances_bulk',
        input: {
          entity: 'Meter',
          rows: Array.from({ length: 1_000 }, (_, row) => ({ key1: `meter-${rows - 1 - row}`, data: data(rows - 1 - row) })),
        },
      }),
      directus: () => ({
        method: 'PATCH',
        body: Array.from({ length: 1_000 }, (_, row) => ({ id: rows - row, ...itemOf(rows - 1 - row) })),
      }),
    },
    {
      name: 'bulk of 1,000, 10 % changed',
      isRead: false,
      isAlone: true,
      most: 20,
      ours: (number) => ({
        operation: 'save_instances_bulk',
        input: {
          entity: 'Meter',
          rows: Array.from({ length: 1_000 }, (_, row) => {
            const at = rows - 1 - row
            return { key1: `meter-${at}`, data: { ...data(at), ...(row % 10 === number % 10 ? { Remark: `Changed by ${number}` } : {}) } }
          }),
        },
      }),
      directus: (number) => ({
        method: 'PATCH',
        body: Array.from({ length: 1_000 }, (_, row) => ({
          id: rows - row,
          ...itemOf(rows - 1 - row),
          ...(row % 10 === number % 10 ? { remark: `Changed by ${number}` } : {}),
        })),
      }),
    },
    {
      name: 'delete',
      isRead: false,
      most: 300,
      ours: (number) => ({ operation: 'delete_instance_by_key', input: { entity: 'Meter', key1: `meter-${number}` } }),
      directus: (number) => ({ method: 'DELETE', path: `/${number + 1}` }),
    },
  ]
}
