/** An installation that is stopped with errands waiting and goes on with this release. */
import { randomUUID } from 'node:crypto'

import postgres from 'postgres'
import { expect, inject, it } from 'vitest'

import { listMigrations } from '#platform/db/migrate.ts'

/** The migration from which on rows say themselves what to start or to signal. */
const turning = '_errands.sql'

it('carries out what waited in the shape of earlier releases', async () => {
  const admin = postgres(inject('adminUrl'), { max: 1, onnotice: () => {} })
  const database = `fieldloop_upgrade_${randomUUID().replaceAll('-', '').slice(0, 16)}`
  await admin.unsafe(`create database ${database} owner fieldloop_owner`)
  const url = new URL(inject('adminUrl'))
  url.pathname = `/${database}`
  url.username = 'fieldloop_owner'
  url.password = 'test'
  const sql = postgres(url.toString(), { max: 1, onnotice: () => {} })
  try {
    const migrations = listMigrations()
    const from = migrations.findIndex(({ name }) => name.endsWith(turning))
    expect(from).toBeGreaterThan(0)
    for (const migration of migrations.slice(0, from)) await sql.unsafe(migration.sql)
    const waiting = [
      { subject: 'analysis:5', event: { type: 'attachmentSaved', analysisId: 5, runNo: 2 } },
      { subject: 'job:9', event: { type: 'jobQueued', jobId: 9, attempt: 3 } },
      { subject: 'conversation:4', event: { type: 'messageQueued', conversationId: 4, messageId: 70, seq: 1 } },
      { subject: 'conversation:4', event: { type: 'messageReceived', conversationId: 4, seq: 2 } },
      { subject: 'conversation:4', event: { type: 'messageReceived', conversationId: 4, seq: 3, hasMedia: true } },
      { subject: 'conversation:4', event: { type: 'conversationEnded', conversationId: 4 } },
    ]
    for (const { subject, event } of waiting)
      await sql`insert into platform.outbox (tenant_id, subject, event) values (7, ${subject}, ${sql.json(event)})`
    await sql`insert into platform.outbox (tenant_id, subject, event, sent_at) values (7, 'job:8', '{"type": "jobQueued"}', now())`
    for (const migration of migrations.slice(from)) await sql.unsafe(migration.sql)
    const rows = await sql`select lane, subject, errand from platform.outbox where sent_at is null order by outbox_id`
    const conversation = { workflow: 'conversation', workflowId: 'conversation:7:4', args: [{ tenantId: 7, conversationId: 4 }] }
    const people = { lane: 'people', subject: 'conversation:4' }
    expect(rows).toEqual([
      {
        lane: 'triggers',
        subject: 'analysis:5',
        errand: { kind: 'start', workflow: 'attachmentRecognition', args: [{ tenantId: 7, analysisId: 5, runNo: 2 }] },
      },
      {
        lane: 'bulk',
        subject: 'job:9',
        errand: { kind: 'start', workflow: 'job', workflowId: 'job:7:9:3', args: [{ tenantId: 7, jobId: 9, attempt: 3 }] },
      },
      { ...people, errand: { kind: 'signalWithStart', ...conversation, signal: 'deliver', signalArgs: [{ messageId: 70, seq: 1 }] } },
      { ...people, errand: { kind: 'signal', workflowId: 'conversation:7:4', signal: 'received', signalArgs: [{ seq: 2 }] } },
      { ...people, errand: { kind: 'signalWithStart', ...conversation, signal: 'received', signalArgs: [{ seq: 3, hasMedia: true }] } },
      { ...people, errand: { kind: 'signal', workflowId: 'conversation:7:4', signal: 'ended', signalArgs: [] } },
    ])
  } finally {
    await sql.end()
    await admin.unsafe(`drop database ${database} with (force)`)
    await admin.end()
  }
})
