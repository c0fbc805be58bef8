/** Bodies of JSON that take long to parse, to hold against a schema or to tell about. Their entity and its properties are made by `arrangeBodies`. */
import type { WatchedServer } from '../support/watched-server.ts'
import { fields, type HostileInput } from './hostile-input.ts'

const bulkPath = '/api/v1/entities/HostileRow/instances/bulk'
const savePath = '/api/v1/entities/HostileRow/instances'
const columns = Array.from({ length: 50 }, (_, index) => `HostileText${index}`)

export async function arrangeBodies({ call }: WatchedServer): Promise<void> {
  await call('import_catalog', {
    properties: [
      ...columns.map((internalName) => ({ internalName, dataType: 'Text' })),
      { internalName: 'HostilePattern', dataType: 'Text', regEx: '^(?:[a-z]{0,400})*\\d$' },
    ],
    entities: [{ internalName: 'HostileRow', properties: [...columns, 'HostilePattern'].map((property) => ({ property })) }],
  })
}

const rows = (count: number, data: (row: number) => string) =>
  `{"rows":[${fields(count, (row) => `{"key1":"K${row}","data":{${data(row)}}}`)}]}`

export const bodies: readonly HostileInput[] = [
  {
    name: 'half a million unknown fields',
    send: (server) => server.post(savePath, `{${fields(500_000, (index) => `"unknown${index}":1`)}}`),
    status: 400,
  },
  {
    name: 'half a million unknown properties',
    send: (server) => server.post(savePath, `{"key1":"K","data":{${fields(500_000, (index) => `"unknown${index}":1`)}}}`),
    status: 400,
  },
  {
    name: 'rows that are no rows',
    send: (server) => server.post(bulkPath, `{"rows":[${fields(2_000_000, () => '1')}]}`),
    status: 413,
  },
  {
    name: 'eight million numbers',
    send: (server) => server.post(savePath, `{"data":{"HostileText0":[${'0,'.repeat(8_000_000)}0]}}`),
    status: 413,
  },
  {
    name: 'four million empty objects in a field that does not exist',
    send: (server) => server.post(savePath, `{"key1":"K","nothing":[${'{},'.repeat(4_000_000)}{}]}`),
    status: 413,
  },
  {
    name: 'numbers that would lose their value',
    send: (server) => server.post(savePath, `{"data":{"HostileText0":[${'9007199254740993,'.repeat(900_000)}0]}}`),
    status: 400,
  },
  {
    name: 'a number of sixteen million digits',
    send: (server) => server.post(savePath, `{"data":{"HostileText0":1${'0'.repeat(16_000_000)}1}}`),
    status: 400,
  },
  {
    name: 'escapes of halves of characters',
    send: (server) => server.post(savePath, `{"data":{"HostileText0":[${'"\\\\ud800",'.repeat(1_500_000).replaceAll('\\\\', '\\')}0]}}`),
    status: 400,
  },
  {
    name: 'sixteen million brackets',
    send: (server) => server.post(savePath, '['.repeat(16_000_000)),
    status: 400,
  },
  {
    name: 'a text of sixteen million characters',
    send: (server) => server.post(savePath, `{"data":{"HostileText0":"${'x'.repeat(16_000_000)}"}}`),
    status: 400,
  },
  {
    name: 'sixteen million blanks',
    send: (server) => server.post(savePath, ' '.repeat(16_000_000)),
    status: 400,
  },
  {
    name: 'two hundred thousand targets of a mapping',
    send: (server) =>
      server.post(
        '/api/v1/entities/HostileRow/instances/import',
        `{"assetKey":"0b8ed6fe-9df4-4a62-9c0c-0a7a4e3a0f11","mapping":{${fields(200_000, (index) => `"column${index}":"HostileTxt${index}"`)}}}`,
      ),
    status: 400,
  },
  {
    name: 'a text that its pattern takes seconds for',
    send: (server) => server.post(savePath, `{"key1":"P","data":{"HostilePattern":"${'a'.repeat(32_768)}"}}`),
    status: 400,
    says: /at most 24\d{3} can be held against the pattern/,
  },
  {
    name: 'ten rows that their pattern takes seconds for',
    send: (server) =>
      server.post(
        bulkPath,
        rows(10, (row) => `"HostilePattern":"${'a'.repeat(20_000 + row)}"`),
      ),
    status: 200,
    says: /does not match the pattern/,
  },
  {
    name: 'ten thousand rows of fifty unknown properties',
    send: (server) =>
      server.post(
        bulkPath,
        rows(10_000, () => fields(50, (index) => `"HostileTxt${index}":"v"`)),
      ),
    status: 200,
  },
  {
    name: 'ten thousand rows of fifty values',
    send: (server) =>
      server.post(
        bulkPath,
        rows(10_000, (row) => columns.map((column) => `"${column}":"value ${row}"`).join(',')),
      ),
    status: 200,
  },
  {
    name: 'ten thousand rows that are saved already',
    send: (server) =>
      server.post(
        bulkPath,
        rows(10_000, (row) => `"HostileText0":"value ${row}"`),
      ),
    status: 200,
  },
  {
    name: 'twenty bulks at once',
    send: async (server) => {
      const body = rows(10_000, (row) => `"HostileText0":"again ${row}"`)
      const answers = await Promise.all(Array.from({ length: 20 }, () => server.post(bulkPath, body)))
      return answers.find((answer) => answer.status !== 200 && answer.status !== 409 && answer.status !== 503) ?? { status: 200, text: '' }
    },
    status: 200,
  },
  {
    name: 'the same call twice under a key, with sixteen megabytes',
    send: (server) =>
      server.post(
        bulkPath,
        rows(10_000, (row) => columns.map((column) => `"${column}":"value two ${row}"`).join(',')),
        { 'idempotency-key': 'large' },
      ),
    status: 200,
  },
  {
    name: 'dataJson of sixteen megabytes',
    send: (server) => server.post(savePath, JSON.stringify({ key1: 'J', dataJson: `{"HostileText0":[${'[1,2],'.repeat(2_000_000)}1]}` })),
    status: 400,
  },
  {
    name: 'a catalog of a thousand entities that is wrong everywhere',
    send: (server) =>
      server.post(
        '/api/v1/catalog/validate',
        `{"entities":[${fields(1_000, (index) => `{"internalName":"HostileEntity${index}","properties":[${fields(20, (at) => `{"property":"HostileTxt${at}"}`)}],"children":[{"childEntity":"HostileEntty${index}"}]}`)}]}`,
      ),
    status: 200,
  },
  {
    name: 'a catalog of a thousand entities that is sound',
    send: (server) =>
      server.post(
        '/api/v1/catalog/validate',
        `{"entities":[${fields(999, (index) => `{"internalName":"HostileEntity${index}","properties":[${fields(20, (at) => `{"property":"HostileText${at}"}`)}],"children":[{"childEntity":"HostileEntity${index + 1}"}]}`)},{"internalName":"HostileEntity999"}]}`,
      ),
    status: 200,
  },
]
