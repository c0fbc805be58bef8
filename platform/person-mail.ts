/**
 * Mails of the installation to persons: links, and word of changes of their log-in. They wait in PostgreSQL, sealed, written with what they tell of; the
 * mailer hands them over. They stand in no conversation and no outbox, and no channel of a tenant carries them.
 */
import { randomUUID } from 'node:crypto'

import type { Config } from './config.ts'
import type { Tx } from './db/pool.ts'
import { AppError } from './errors.ts'
import type { Secrets } from './secrets.ts'

/** Poked where a mail waits. */
export const mailsTopic = 'mails'

export type PersonMail =
  | {
      readonly kind: 'mail'
      readonly to: string
      readonly subject: string
      readonly text: string
      /** The same for readers that show it. */
      readonly html?: string
      /** When it is of no use any more, in ISO 8601; absent: a day after it was written. */
      readonly until?: string
    }
  | { readonly kind: 'sms'; readonly to: string; readonly text: string; readonly until: string }
  /** Second factors are to be removed: to all addresses of the person, with the link by which they object. */
  | { readonly kind: 'factorReset'; readonly userId: number; readonly url: string }
  /** Somebody asked for a reset: whether there is such a person is found out where nobody waits for the answer. */
  | { readonly kind: 'reset'; readonly of: { readonly logIn: string } | { readonly userId: number } }

export interface WaitingMail {
  readonly mailId: string
  readonly mail: PersonMail
}

/** `local`: kept in DATA_DIR. `absent`: nobody would get it. */
type SenderState = 'up' | 'local' | 'absent'

function stateOf(sender: object | undefined, host: string): SenderState {
  if (sender) return 'up'
  return /^(?:127\.|::1$|localhost$)/.test(host) ? 'local' : 'absent'
}

export const mailStateOf = ({ mail, host }: Pick<Config, 'mail' | 'host'>) => stateOf(mail, host)
export const smsStateOf = ({ sms, host }: Pick<Config, 'sms' | 'host'>) => stateOf(sms, host)

/** Throws AppError `unavailable` where no mail can go out. */
export function refuseWithoutMail(config: Pick<Config, 'mail' | 'host'>): void {
  if (mailStateOf(config) !== 'absent') return
  throw new AppError('unavailable', 'This installation sends no mail. Whoever runs it sets MAIL_URL and MAIL_FROM.', {
    retryAfterSeconds: 3_600,
  })
}

/** The same of SMS. */
export function refuseWithoutSms(config: Pick<Config, 'sms' | 'host'>): void {
  if (smsStateOf(config) !== 'absent') return
  throw new AppError('unavailable', 'This installation sends no SMS. Whoever runs it sets SMS_URL and SMS_FROM.', {
    retryAfterSeconds: 3_600,
  })
}

const boundTo = (mailId: string) => `mail:${mailId}`

/** As the look-up role. Nothing is kept where no mail goes out. */
export async function queueMail(
  tx: Tx,
  { secrets, config }: { readonly secrets: Secrets; readonly config: Pick<Config, 'mail' | 'sms' | 'host'> },
  mail: PersonMail,
): Promise<void> {
  if ((mail.kind === 'sms' ? smsStateOf(config) : mailStateOf(config)) === 'absent') return
  const mailId = randomUUID()
  await tx`insert into platform.person_mail (mail_id, sealed) values (${mailId}, ${secrets.sealOwn(boundTo(mailId), JSON.stringify(mail))})`
}

const leaseMinutes = 5

/** Takes the oldest that are due, for five minutes, in which nobody else takes them. */
export async function takeMails(tx: Tx, secrets: Secrets, limit: number): Promise<WaitingMail[]> {
  const rows = await tx<{ mailId: string; sealed: Buffer }[]>`
    update platform.person_mail set attempts = attempts + 1, next_at = now() + make_interval(mins => ${leaseMinutes})
    where mail_id in (select mail_id from platform.person_mail where next_at <= now() order by next_at limit ${limit} for update skip locked)
    returning mail_id, sealed`
  // The seal vouches that it is what queueMail wrote.
  return rows.map(({ mailId, sealed }) => ({ mailId, mail: JSON.parse(secrets.unsealOwn(boundTo(mailId), sealed)) as PersonMail }))
}

export async function dropMail(tx: Tx, mailId: string): Promise<void> {
  await tx`delete from platform.person_mail where mail_id = ${mailId}`
}

/** Tries again later, each time after twice as long; after a day what it says is of no use any more. Answers whether it was given up. */
export async function putOffMail(tx: Tx, mailId: string): Promise<boolean> {
  const gone =
    await tx`delete from platform.person_mail where mail_id = ${mailId} and created_date < now() - interval '1 day' returning mail_id`
  await tx`update platform.person_mail set next_at = now() + make_interval(secs => least(3600, 15 * 2 ^ least(attempts, 10))) where mail_id = ${mailId}`
  return gone.length > 0
}
