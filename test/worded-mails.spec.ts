/** Messages of the product's own that go by e-mail: in the tenant's words, and the reader's language. */
import { beforeAll, describe, expect, it } from 'vitest'

import { runAs } from '#platform/acting.ts'
import { scheduleKinds } from '#server/worker/schedule-kinds.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import type { MessageMailType } from '#tools/mails/mails.schema.ts'
import { wordAs } from '#tools/messaging/service.ts'
import { reportDeliveryRunner } from '#tools/reports/service.ts'
import { fireDue } from '#tools/schedules/service.ts'

import { useMail } from './support/mail.ts'
import type { Sent } from './support/messaging.ts'

const mails = useMail()
const { world, newAddress, deliver, lastTaken } = mails
const { call } = world
let globalKey = ''
beforeAll(async () => {
  globalKey = (await world.newTenant(1023)).key
})

const word = (templateType: MessageMailType, languageCode: string, subject: string, body: string) =>
  call('save_email_template', { tenantId: world.tenant.tenantId, templateType, languageCode, subject, body }, { key: globalKey })

async function newReader(language: string) {
  const email = newAddress()
  const { tenantUserId } = await call('create_user', { userName: email, email, language, roles: ['DataView'] })
  return { tenantUserId, email }
}

/** Sends as a run does, and says which mail it is. */
async function sent(type: MessageMailType, tenantUserId: number, more: object = {}): Promise<Sent> {
  const { tenantId, tenantUserId: admin } = world.tenant
  const who = { tenantId, tenantUserId: admin, origin: { kind: 'workflow', id: 1, depth: 1 } } as const
  const message = { to: { tenantUserId }, channel: 'email', text: 'Look at pump 3.', ...more }
  const mail = { type, title: 'Inspection, check' }
  const answer = await runAs(world.platform.services, who, 'send_message', message, {
    commitWith: (tx, told) => wordAs(tx, tenantId, told, mail),
  })
  // send_message answers that.
  return answer as Sent
}

describe('a message that a tenant may word', () => {
  it.each([
    ['taskAssigned', 'A task for you: Inspection, check', 'Eine Aufgabe für Sie: Inspection, check'],
    ['taskOverdue', 'Overdue: Inspection, check', 'Überfällig: Inspection, check'],
  ] as const)('goes as %s ships, in the language of whoever reads it', async (type, english, german) => {
    const link = { label: 'Plan', url: 'https://ops.example.com/tasks/7' }
    await deliver(await sent(type, (await newReader('en-US')).tenantUserId, { card: { link } }))
    expect(lastTaken().mail.subject).toBe(english)
    expect(lastTaken().mail.text).toContain('Look at pump 3.')
    expect(lastTaken().mail.text?.match(/tasks\/7/g)).toHaveLength(1)
    expect(lastTaken().mail.html).toMatch(/<a href="https:\/\/ops\.example\.com\/tasks\/7"[^>]*>Open the task<\/a>/)
    await deliver(await sent(type, (await newReader('de-DE')).tenantUserId))
    expect(lastTaken().mail.subject).toBe(german)
  })

  it('goes in the words of the tenant with all that was said, and its thread keeps the name', async () => {
    await word('taskAssigned', 'en-US', '[[tenant]]: [[title]]', 'Dear [[recipient]], please see to it.')
    const { tenantUserId, email } = await newReader('en-US')
    const first = await sent('taskAssigned', tenantUserId)
    await deliver(first)
    const { tenantName } = await call('whoami')
    expect(lastTaken().mail.subject).toBe(`${tenantName}: Inspection, check`)
    expect(lastTaken().mail.text?.trim()).toBe(`Dear ${email}, please see to it.\n\nLook at pump 3.`)
    await deliver(await call('send_message', { conversationId: first.conversationId, text: 'And pump 4?' }))
    expect(lastTaken().mail.subject).toBe(`Re: ${tenantName}: Inspection, check`)
    expect(lastTaken().mail.text?.trim()).toBe('And pump 4?')
  })

  it('is a report that is delivered, with its file, and the same words in the inbox as ever', async () => {
    await word('reportDelivery', 'de-DE', 'Bericht [[title]]', '# [[title]]\n\n[[text]]\n\n- [[tenant]]')
    await call('create_property', { internalName: 'Note', dataType: 'Text' })
    await call('create_entity', { internalName: 'Job', properties: [{ property: 'Note' }] })
    await call('save_instance', { entity: 'Job', key1: 'J', data: { Note: 'x' } })
    await call('create_report', { internalName: 'Jobs', definitionJson: { primaryEntityId: 'Job', columns: [{ property: 'key1' }] } })
    const { tenantUserId } = await newReader('de-DE')
    const inInbox = await newReader('de-DE')
    for (const [to, channel] of [
      [tenantUserId, 'email'],
      [inInbox.tenantUserId, 'inbox'],
    ] as const) {
      await call('schedule_report', {
        report: 'Jobs',
        every: 'P1D',
        format: 'csv',
        onlyWhenRows: false,
        to: [{ tenantUserId: to }],
        channel,
      })
      while ((await fireDue(world.platform.services, scheduleKinds)) > 0);
      for (const { jobId } of (await call('list_jobs', { states: ['queued'] })) as { jobId: number }[]) {
        const attempt = { tenantId: world.tenant.tenantId, jobId, attempt: 1 }
        const { services } = world.platform
        for (let job = await readJobForRun(services, attempt); job; job = await readJobForRun(services, attempt))
          await reportDeliveryRunner.step(services, job, new AbortController().signal)
      }
      await call('unschedule_report', { report: 'Jobs' })
    }
    const messages = await world.sql<(Sent & { channel: string; text: string })[]>`
      select conversation_id, message_id, seq, status, channel, text from platform.message where mail_type = 'reportDelivery' order by message_id`
    expect(messages.map(({ channel }) => channel)).toEqual(['email', 'inbox'])
    const [byMail] = messages
    if (!byMail) throw new Error('No report went by e-mail')
    await deliver(byMail)
    const { mail } = lastTaken()
    expect(mail.subject).toBe('Bericht Jobs')
    expect(mail.text).toContain(byMail.text)
    expect(mail.html).toMatch(/<h1[^>]*>Jobs<\/h1>/)
    expect(mail.attachments.map(({ filename }) => filename)).toEqual([expect.stringMatching(/\.csv$/)])
  })
})
