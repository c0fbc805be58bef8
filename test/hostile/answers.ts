/** Calls that are short and have long answers, and forms that have more in them than any vendor sends. What they ask for is made by `arrangeAnswers`. */
import type { Answer, WatchedServer } from '../support/watched-server.ts'
import type { HostileInput } from './hostile-input.ts'

let tenantKey = ''
let channelKey = ''

/** As much as a tenant may define: ten thousand properties, and nearly sixteen MiB of texts that double in JSON. */
export async function arrangeAnswers({ world }: WatchedServer): Promise<void> {
  const { tenantId, key } = await world.newTenant()
  await world.sql`
    with made as (
      insert into platform.property (tenant_id, data_type_id, internal_name)
      select ${tenantId}, 5, 'HostileAnswer' || n from generate_series(1, 10000) n returning property_id
    )
    insert into platform.property_display (tenant_id, property_id, language_region_id, name, description)
    select ${tenantId}, property_id, (select language_region_id from platform.language where language_code = 'en-US'), 'A property', repeat('"\n', 800) from made`
  const channel = { channel: 'sms', provider: 'twilio', settings: { accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006' } }
  const made = await world.call(
    'create_channel',
    { internalName: 'HostileChannel', ...channel, secrets: { authToken: 'a'.repeat(32) } },
    { key },
  )
  tenantKey = key
  ;({ channelKey } = made)
}

const ask = (server: WatchedServer, path: string, body: string): Promise<Answer> =>
  server.post(path, body, { authorization: `Bearer ${tenantKey}` })

const form = (server: WatchedServer, body: string): Promise<Answer> =>
  server.post(`/api/v1/messaging/webhooks/${channelKey}`, body, {
    'content-type': 'application/x-www-form-urlencoded',
    'x-twilio-signature': 'A'.repeat(28),
  })

export const answers: readonly HostileInput[] = [
  {
    name: 'a question for ten thousand properties',
    send: (server) => ask(server, '/api/v1/properties/list', '{}'),
    status: 200,
    says: /HostileAnswer1/,
  },
  {
    name: 'a question for a whole catalog',
    send: (server) => ask(server, '/api/v1/catalog/export', '{}'),
    status: 400,
    says: /at most 2,000 properties/,
  },
  { name: 'a question for a whole dictionary', send: (server) => ask(server, '/api/v1/schema/dictionary', '{}'), status: 200 },
  {
    name: 'a form of two hundred thousand fields',
    send: (server) =>
      form(
        server,
        Array.from({ length: 200_000 }, (_, index) => index.toString(36))
          .join('&')
          .slice(0, 1_000_000),
      ),
    status: 400,
    says: /at most 1,000 fields/,
  },
  {
    name: 'a form of a megabyte of ampersands',
    send: (server) => form(server, '&'.repeat(1_000_000)),
    status: 400,
    says: /at most 1,000 fields/,
  },
  { name: 'a form of one long field', send: (server) => form(server, `Body=${'+'.repeat(1_000_000)}`), status: 403 },
]
