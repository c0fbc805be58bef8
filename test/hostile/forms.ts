/** What is sent through forms that ask much of it. They are made by `arrangeForms`. */
import type { WatchedServer } from '../support/watched-server.ts'
import { fields, type HostileInput } from './hostile-input.ts'

const texts = Array.from({ length: 40 }, (_, index) => `FormText${index}`)

export async function arrangeForms({ call }: WatchedServer): Promise<void> {
  const properties = texts.map((property) => ({ property }))
  await call('import_catalog', {
    properties: texts.map((internalName) => ({ internalName, dataType: 'Text' })),
    entities: [
      { internalName: 'FormParent', properties, children: [{ childEntity: 'FormChild', isList: true }] },
      { internalName: 'FormChild', properties },
    ],
  })
  const longest = (entity?: string) =>
    Array.from({ length: 60 }, (_, index) => ({
      ...(entity ? { entity } : {}),
      property: texts[index % 40],
      op: entity ? 'contains' : 'notContains',
      value: `none ${index}`,
    }))
  const asking = (condition: object) =>
    texts.map((property) => ({ property, visibleWhen: { logic: 'AND', rules: [...(condition as object[])] } }))
  const list = (some: object[]) => ({ type: 'list', name: 'rows', entity: 'FormChild', fields: some })
  const detail = (some: object[]) => ({ type: 'detail', name: 'own', fields: some })
  const plain = texts.map((property) => ({ property }))
  const circle = texts.map((property, index) => ({
    property,
    default: `${'x'.repeat(50)} [[FormParent.${texts[(index + 7) % 40]}|upper]]`,
    visibleWhen: [{ property: texts[(index + 1) % 40], op: 'isEmpty' }],
  }))
  const forms = {
    HostileRows: [detail(plain.slice(0, 1)), list(asking(longest()))],
    HostileRelated: [
      detail([...plain.slice(0, 1), { property: texts[1], visibleWhen: { logic: 'OR', rules: longest('FormChild') } }]),
      list(plain),
    ],
    HostilePlain: [detail(plain), list(plain)],
    HostileCircle: [detail(circle), list(plain.slice(0, 1))],
  }
  for (const [internalName, sections] of Object.entries(forms))
    await call('create_form', { entity: 'FormParent', internalName, isShared: true, layoutJson: { sections } })
}

const multi = (form: string) => `/api/v1/forms/${form}/records/multi`
const rows = (count: number, values: (row: number) => string) =>
  `{"primary":{"values":{}},"sections":{"rows":{"rows":[${fields(count, (row) => `{"values":{${values(row)}}}`)}]}}}`

export const forms: readonly HostileInput[] = [
  {
    name: 'a form record of half a million unknown values',
    send: (server) =>
      server.post('/api/v1/forms/HostileCircle/records', `{"values":{${fields(500_000, (index) => `"unknown${index}":1`)}}}`),
    status: 400,
  },
  {
    name: 'a thousand rows of a form, each of unknown values',
    send: (server) =>
      server.post(
        multi('HostileRelated'),
        rows(1_000, () => fields(600, (index) => `"unknown${index}":1`)),
      ),
    status: 400,
  },
  {
    name: 'rows of long texts that every field of a form looks through',
    send: (server) =>
      server.post(
        multi('HostileRows'),
        rows(450, () => `"FormText0":"${'ab '.repeat(10_000)}"`),
      ),
    status: 413,
    says: /too much text/,
  },
  {
    name: 'rows of long texts that one field of the record looks through',
    send: (server) =>
      server.post(
        multi('HostileRelated'),
        rows(450, () => `"FormText0":"${'ab '.repeat(10_000)}"`),
      ),
    status: 413,
    says: /too much text/,
  },
  {
    name: 'a form whose fields show and hide each other in a circle',
    send: (server) => server.post('/api/v1/forms/HostileCircle/records', '{"values":{}}'),
    status: 200,
  },
  {
    name: 'a thousand rows of forty values, all of them wrong',
    send: (server) =>
      server.post(
        multi('HostilePlain'),
        rows(1_000, () => fields(40, (index) => `"FormText${index}":1`)),
      ),
    status: 400,
  },
  {
    name: 'a thousand rows of forty values, all of them right',
    send: (server) =>
      server.post(
        multi('HostilePlain'),
        rows(1_000, (row) => fields(40, (index) => `"FormText${index}":"${row} ${'x'.repeat(300)}"`)),
      ),
    status: 200,
  },
]
