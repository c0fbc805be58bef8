/** The mailer: hands waiting mails to the installation's mail server, or keeps them in DATA_DIR where there is none. Several share the work. */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

import { sendMail } from '#activities/mails/send-mail.ts'
import { sendSms } from '#activities/messaging/own-sms.ts'
import {
  dropMail,
  mailsTopic,
  mailStateOf,
  putOffMail,
  smsStateOf,
  takeMails,
  type PersonMail,
  type WaitingMail,
} from '#platform/person-mail.ts'
import type { Services } from '#platform/services.ts'
import { carryOutFactorResets, sendAskedReset, tellOfEndingKeys, tellOfFactorReset } from '#tools/auth/service.ts'

import { every, keepLooking, type Looking } from './looking.ts'

const pauseMs = 2_000
const atOnce = 10
const keptMs = 7 * 24 * 3_600_000
const sweepMs = 3_600_000
const keysMs = 60_000

/** Where mails are kept that no server takes. */
export const localMails = (dataDir: string) => join(dataDir, 'mails')

/** For their owner alone to read: they hold what links are opened with. */
async function keepHere(dataDir: string, mailId: string, mail: PersonMail & { readonly kind: 'mail' | 'sms' }): Promise<void> {
  const folder = localMails(dataDir)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { to, text } = mail
  const subject = mail.kind === 'sms' ? 'SMS' : mail.subject
  const at = new Date().toISOString()
  await writeFile(
    join(folder, `${at.replaceAll(/[:.]/g, '-')}-${mailId}.json`),
    `${JSON.stringify({ at, to, subject, text }, undefined, 2)}\n`,
    {
      mode: 0o600,
    },
  )
}

async function sweep(dataDir: string): Promise<void> {
  const folder = localMails(dataDir)
  for (const name of await readdir(folder).catch(() => [])) {
    const { mtimeMs } = await stat(join(folder, name))
    if (Date.now() - mtimeMs > keptMs) await rm(join(folder, name), { force: true })
  }
}

function codeOf(error: unknown): string {
  if (typeof error !== 'object' || error === null) return 'unknown'
  if ('responseCode' in error && typeof error.responseCode === 'number') return String(error.responseCode)
  return 'code' in error && typeof error.code === 'string' ? error.code : 'unknown'
}

async function handOver(services: Services, mailId: string, mail: PersonMail): Promise<void> {
  const { config } = services
  if (mail.kind === 'reset') return sendAskedReset(services, mail.of)
  if (mail.kind === 'factorReset') return tellOfFactorReset(services, mail)
  // A code that is void helps nobody, and frightens.
  if (mail.until !== undefined && Date.parse(mail.until) < Date.now()) return
  if ((mail.kind === 'sms' ? smsStateOf(config) : mailStateOf(config)) === 'local') return keepHere(config.dataDir, mailId, mail)
  if (mail.kind === 'sms') await sendSms(services, mail)
  else if (config.mail) await sendMail(config.mail, mail)
}

/** Hands over what is due now; answers how many were taken. */
export async function handOverMails(services: Services): Promise<number> {
  const { databases, secrets, log } = services
  const carry = async ({ mailId, mail }: WaitingMail): Promise<void> => {
    try {
      await handOver(services, mailId, mail)
      await databases.lookUp((tx) => dropMail(tx, mailId))
    } catch (error) {
      const isGivenUp = await databases.lookUp((tx) => putOffMail(tx, mailId))
      // Neither to whom nor what it says, nor the server's words, which repeat both: the log is read by more than one.
      log.warn({ code: codeOf(error), mailId, isGivenUp }, 'a mail could not be handed over')
    }
  }
  const taken = await databases.lookUp((tx) => takeMails(tx, secrets, atOnce))
  await Promise.all(taken.map(carry))
  return taken.length
}

export function startMailer(services: Services): Looking {
  const tellOfKeys = every(keysMs, () => tellOfEndingKeys(services))
  const sweepKept = every(sweepMs, () => sweep(services.config.dataDir))
  return keepLooking(services, {
    topic: mailsTopic,
    pauseMs,
    complaint: 'the mailer could not look for what waits',
    async once() {
      await sweepKept()
      await tellOfKeys()
      return (await carryOutFactorResets(services)) + (await handOverMails(services))
    },
  })
}
