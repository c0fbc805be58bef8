import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { tell } from '#platform/event-log.ts'
import { finding } from '#platform/findings.ts'
import { defineOperation, destroys } from '#platform/operation.ts'
import { job } from '#tools/jobs/jobs.schema.ts'
import { queueJob } from '#tools/jobs/service.ts'
import { entity } from '#tools/query/query.schema.ts'

import { openWipe, wipeKind, wipeSome, type WipeInput } from './wiping.ts'

export const wipeInstances = defineOperation({
  ...destroys(job.partial().extend({ wiped: z.int().optional().describe('Records that are gone, deleted ones among them') })),
  name: 'wipe_instances',
  title: 'Wipe an entity of all its records',
  description:
    'Takes all records of an entity away for good, deleted ones, their history and their links too; nothing brings them back. Answers wiped, or past 5,000 records a job (await_job). Files stay. To keep history use delete_instances_bulk.',
  method: 'POST',
  path: '/api/v1/entities/{entity}/instances/wipe',
  roles: 'BuilderAdmin&DataDelete',
  input: z.object({ entity, confirmation: z.string().max(64).describe('The internalName of the entity') }),
  examples: [{ title: 'After a trial', input: { entity: 'WorkOrder', confirmation: 'WorkOrder' }, output: { wiped: 42 } }],
  async handler(context, input) {
    const { frame, isLarge } = await openWipe(context, input.entity)
    const { entityId, internalName } = frame.entity
    if (input.confirmation !== internalName) {
      const message = `A wipe takes every record for good. Confirm it with the internalName of the entity, ${internalName}.`
      throw new AppError('invalid_input', message, { issues: [finding('$.confirmation', message, { suggestion: internalName })] })
    }
    if (isLarge) {
      const asked: WipeInput = { entityId, roleFlag: context.actor.roleFlag }
      const queued = await queueJob(context, {
        kind: wipeKind,
        operation: 'wipe_instances',
        requiredRoles: 'BuilderAdmin&DataDelete',
        input: asked,
      })
      context.audit({ entityId, internalName, jobId: queued.jobId })
      return queued
    }
    const wiped = await wipeSome(context, frame)
    tell(context, 'job.completed', { jobId: null, kind: wipeKind, state: 'succeeded', done: wiped })
    context.audit({ entityId, internalName, wiped })
    return { wiped }
  },
})
