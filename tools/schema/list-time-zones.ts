import { z } from 'zod'

import { defineOperation, reads } from '#platform/operation.ts'

import { timeZone } from './schema.schema.ts'
import { listZones } from './zones.ts'

export const listTimeZones = defineOperation({
  ...reads(z.array(timeZone)),
  errors: [],
  name: 'list_time_zones',
  title: 'List time zones',
  description:
    'The IANA time zones with their abbreviation and their offset at this moment, in minutes east of UTC. Users are given one by timeZoneIana.',
  method: 'POST',
  path: '/api/v1/timezones',
  roles: 'any',
  input: z.object({}),
  examples: [
    {
      title: 'All of them',
      input: {},
      output: [
        { timeZoneId: 340, timeZoneIana: 'Europe/Madrid', timeZoneAbbrev: 'CET', standardOffsetMinutes: 60, currentOffsetMinutes: 60 },
      ],
    },
  ],
  async handler(context) {
    return listZones(context)
  },
})
