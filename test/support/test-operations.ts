/** Operations for the pipeline's own promises: what no real operation does on purpose. They write into a table that the spec makes. */
import { z } from 'zod'

import type { Tx } from '#platform/db/pool.ts'
import { defineOperation, defineStagedOperation, type Domain, type TxContext, writes } from '#platform/operation.ts'

import { withPhrases } from './phrases.ts'

/** Made by the superuser of the test: a table as every one of a tenant, and one that takes a row from any transaction, or from none. */
export const effectTables = `
  create table platform.test_effect (tenant_id int not null, effect_id bigint generated always as identity, label text not null);
  call platform.protect('platform.test_effect');
  create table platform.test_unfenced (label text not null);
  grant select, insert on platform.test_unfenced to fieldloop_app`

export type Step = (context: TxContext) => Promise<void> | void

/** What a call does between its two writes, by its label; nothing where the test says nothing. */
export const steps = new Map<string, Step>()

async function insertEffect(tx: Tx, tenantId: number, label: string): Promise<number> {
  const [row] = await tx<
    { effectId: number }[]
  >`insert into platform.test_effect (tenant_id, label) values (${tenantId}, ${label}) returning effect_id`
  return row?.effectId ?? 0
}

const input = z.object({ label: z.string() })
const effect = z.object({ effectId: z.int(), attempt: z.int() })
const example = { title: 'A write', input: { label: 'a' }, output: { effectId: 1, attempt: 1 } }

/** Writes a row, does the test's step, writes another row. */
const writeTwice = defineOperation({
  ...writes(effect),
  name: 'write_twice',
  title: 'Write twice',
  description: 'Writes two rows with a step of the test between them.',
  method: 'POST',
  path: '/api/v1/test/write-twice',
  roles: 'DataEdit',
  input,
  examples: [example],
  async handler(context, { label }) {
    const { tx, tenantId, attempt } = context
    await insertEffect(tx, tenantId, label)
    await steps.get(label)?.(context)
    return { effectId: await insertEffect(tx, tenantId, label), attempt }
  },
})

/** The same in two transactions, with the step between them, and without the error of what exists already. */
const writeStaged = defineStagedOperation({
  ...writes(effect),
  errors: ['not_found'],
  name: 'write_staged',
  title: 'Write in two stages',
  description: 'Writes two rows in transactions of their own with a step of the test between them.',
  method: 'POST',
  path: '/api/v1/test/write-staged',
  roles: 'DataEdit',
  input,
  examples: [example],
  async stagedHandler({ inTransaction }, { label }) {
    await inTransaction(({ tx, tenantId }) => insertEffect(tx, tenantId, label))
    return inTransaction(async (context) => {
      await steps.get(label)?.(context)
      return { effectId: await insertEffect(context.tx, context.tenantId, label), attempt: context.attempt }
    })
  },
})

const answerAnyone = defineStagedOperation({
  effect: 'read',
  errors: [],
  output: z.object({ tenantId: z.int() }),
  name: 'answer_anyone',
  title: 'Answer anyone',
  description: 'Needs no credential.',
  method: 'POST',
  path: '/api/v1/test/public',
  roles: 'Public',
  input: z.object({}),
  examples: [{ title: 'Anyone', input: {}, output: { tenantId: 0 } }],
  async stagedHandler({ tenantId }) {
    return { tenantId }
  },
})

const doAsPerson = defineOperation({
  ...writes(z.object({ tenantUserId: z.int() })),
  errors: [],
  name: 'do_as_person',
  title: 'Do as a person',
  description: "Is a person's own.",
  method: 'POST',
  path: '/api/v1/test/person',
  roles: 'Person',
  input: z.object({}),
  examples: [{ title: 'Oneself', input: {}, output: { tenantUserId: 1 } }],
  async handler({ actor }) {
    return { tenantUserId: actor.tenantUserId }
  },
})

export const testDomain: Domain = withPhrases({
  name: 'test',
  title: 'Test',
  summary: 'For the pipeline alone.',
  operations: [writeTwice, writeStaged, answerAnyone, doAsPerson],
})
