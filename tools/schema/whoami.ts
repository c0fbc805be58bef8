import { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { defineOperation, reads } from '#platform/operation.ts'

import { callerContext } from './schema.schema.ts'
import { findCaller } from './schema.store.ts'
import { currentZone } from './zones.ts'

export const whoami = defineOperation({
  ...reads(callerContext),
  name: 'whoami',
  title: 'Who am I',
  description:
    'Who this credential acts as: tenant, user, roles as bits, language, time zone, and what time it is for that user. Call it first, to confirm the credential. A key without a user tells of its own service user. list_roles names the bits.',
  method: 'POST',
  path: '/api/v1/schema/whoami',
  roles: 'any',
  input: z.object({}),
  examples: [
    {
      title: 'An administrator in Madrid',
      input: {},
      output: {
        tenantId: 1,
        tenantUserId: 1,
        userId: 1,
        userName: 'admin',
        displayName: 'Administrator',
        roleFlag: 511,
        languageRegionId: 1,
        timeZoneId: 340,
        timeZoneIana: 'Europe/Madrid',
        timeZoneAbbrev: 'CET',
        standardOffsetMinutes: 60,
        currentOffsetMinutes: 60,
        serverTimeUtc: '2026-11-20T09:30:00.000Z',
        serverTimeLocal: '2026-11-20T10:30:00.000',
        tenantHost: 'demo.example.com',
        tenantSubDomain: 'demo',
        tenantName: 'Demo',
      },
    },
  ],
  async handler(context) {
    const { tx, tenantId, actor, services } = context
    const { timeZoneIana, ...caller } = mustExist(await findCaller(tx, tenantId, actor.tenantUserId, services.config.tenantDomain), 'user')
    const zone = await currentZone(context, timeZoneIana)
    const local = new Date(Date.parse(caller.serverTimeUtc) + zone.currentOffsetMinutes * 60_000).toISOString().slice(0, -1)
    const { tenantUserId, userId, roleFlag } = actor
    return { tenantId, tenantUserId, userId, roleFlag, ...caller, ...zone, serverTimeLocal: local }
  },
})
