/** What is measured: a catalog, its records, and the calls of each measure. A call is a function of its number, so that two sides make the same ones. */

export interface PlannedCall {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
}

export interface Measure {
  readonly name: string
  readonly kind: 'read' | 'write' | 'bulk'
  /** The most that a call may cost, as a multiple of the bare client; undefined where no aim is set. */
  readonly aim: number | undefined
  readonly callsPerRound: number
  readonly connections: number
  /** For the same call number on the same records always the same call. */
  call(number: number): PlannedCall
}

export const meters = 10_000
const keptRows = 10_000

const properties = [
  { internalName: 'Title', dataType: 'Text' },
  { internalName: 'Place', dataType: 'Text' },
  { internalName: 'Serial', dataType: 'Text' },
  { internalName: 'Owner', dataType: 'Text' },
  { internalName: 'Remark', dataType: 'Text' },
  { internalName: 'Status', dataType: 'Choice', propertyOptions: ['open', 'planned', 'done'].map((internalName) => ({ internalName })) },
  { internalName: 'Reading', dataType: 'Number' },
  { internalName: 'Floor', dataType: 'Number' },
  { internalName: 'Price', dataType: 'Currency' },
  { internalName: 'InstalledOn', dataType: 'DateOnly' },
  { internalName: 'CheckedAt', dataType: 'DateTime' },
  { internalName: 'IsActive', dataType: 'Boolean' },
]

export const catalog = {
  properties,
  entities: ['Meter', 'Sheet'].map((internalName) => ({
    internalName,
    properties: properties.map((property) => ({ property: property.internalName })),
  })),
}

/** A record's values. */
export function data(number: number, generation = 0): Record<string, unknown> {
  const day = `2026-${String((number % 12) + 1).padStart(2, '0')}-${String((number % 28) + 1).padStart(2, '0')}`
  return {
    Title: `Meter ${number} of the harbour district`,
    Place: `Site ${number % 97}`,
    Serial: `SN-${String(number * 7919).padStart(10, '0')}`,
    Owner: `Owner ${number % 13}`,
    Remark: `Checked by the ${number % 5} shift, generation ${generation}`,
    Status: ['open', 'planned', 'done'][number % 3],
    Reading: (number * 37) % 10_007,
    Floor: number % 40,
    Price: ((number * 113) % 100_000) / 100,
    InstalledOn: day,
    CheckedAt: `${day}T08:${String(number % 60).padStart(2, '0')}:00.000Z`,
    IsActive: number % 2 === 0,
  }
}

function bulk(entity: string, rows: readonly { key1: string; data: Record<string, unknown> }[]): PlannedCall {
  return { operation: 'save_instances_bulk', input: { entity, rows } }
}

const numbers = (count: number) => Array.from({ length: count }, (_, index) => index)

/** The calls that fill a fresh database. */
export function fillingCalls(): PlannedCall[] {
  const chunks = numbers(meters / 5000)
  return [
    ...chunks.map((chunk) =>
      bulk(
        'Meter',
        numbers(5000).map((index) => ({ key1: `meter-${chunk * 5000 + index}`, data: data(chunk * 5000 + index) })),
      ),
    ),
    ...['still', 'moving'].map((set) =>
      bulk(
        'Sheet',
        numbers(keptRows).map((number) => ({ key1: `${set}-${number}`, data: data(number) })),
      ),
    ),
  ]
}

/** The measures, given the ids of the meters. */
export function measures(ids: readonly number[]): Measure[] {
  // A step that shares no factor with the count visits every record before it comes back to one.
  const idOf = (number: number) => String(ids[(number * 7919) % ids.length])
  const page = (number: number) => ({
    entity: 'Meter',
    filterRules: {
      logic: 'AND',
      rules: [
        { property: 'Place', op: 'eq', value: `Site ${number % 97}` },
        { property: 'Reading', op: 'gte', value: number % 50 },
      ],
    },
    sort: [{ property: 'CheckedAt', direction: 'desc' }],
    pageSize: 50,
  })
  const sized = (size: number, callsPerRound: number): Measure[] => {
    const common = { kind: 'bulk', aim: 1.5, callsPerRound, connections: 1 } as const
    const label = size.toLocaleString('en')
    // Each call raises the generation of another tenth of the rows, so that a row's content follows from the call's number.
    const generationOf = (row: number, number: number) => Math.floor((number + 10 - (row % 10)) / 10)
    return [
      {
        ...common,
        name: `bulk of ${label}, fresh`,
        call: (number) =>
          bulk(
            'Sheet',
            numbers(size).map((row) => ({ key1: `fresh-${size}-${number}-${row}`, data: data(row, number) })),
          ),
      },
      {
        ...common,
        name: `bulk of ${label}, unchanged`,
        call: () =>
          bulk(
            'Sheet',
            numbers(size).map((row) => ({ key1: `still-${row}`, data: data(row) })),
          ),
      },
      {
        ...common,
        name: `bulk of ${label}, 10 % changed`,
        call: (number) =>
          bulk(
            'Sheet',
            numbers(size).map((row) => {
              const shown = keptRows - 1 - row
              return {
                key1: `moving-${size === keptRows ? row : shown}`,
                data: data(size === keptRows ? row : shown, size + generationOf(row, number)),
              }
            }),
          ),
      },
    ]
  }
  return [
    {
      name: 'get',
      kind: 'read',
      aim: 2,
      callsPerRound: 1500,
      connections: 4,
      call: (number) => ({ operation: 'get_instance', input: { entity: 'Meter', record: idOf(number % 500) } }),
    },
    {
      name: 'list: 50, filtered and sorted, with total',
      kind: 'read',
      aim: 2,
      callsPerRound: 150,
      connections: 4,
      call: (number) => ({ operation: 'list_instances', input: page(number % 100) }),
    },
    {
      name: 'list: 50 by id, without total',
      kind: 'read',
      aim: 2,
      callsPerRound: 500,
      connections: 4,
      call: () => ({ operation: 'list_instances', input: { entity: 'Meter', pageSize: 50, includeTotal: false } }),
    },
    {
      name: 'create',
      kind: 'write',
      aim: undefined,
      callsPerRound: 400,
      connections: 4,
      call: (number) => ({ operation: 'save_instance', input: { entity: 'Meter', key1: `created-${number}`, data: data(number, 1) } }),
    },
    {
      name: 'update',
      kind: 'write',
      aim: undefined,
      callsPerRound: 400,
      connections: 4,
      call: (number) => ({
        operation: 'upsert_instance',
        input: { entity: 'Meter', record: idOf(number), data: { Remark: `Updated by call ${number}`, Reading: number + 0.5 } },
      }),
    },
    ...sized(1000, 10),
    ...sized(10_000, 2),
  ]
}
