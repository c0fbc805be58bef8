/** /ops/mail: the mails that this machine keeps where no mail server is set. They hold what links are opened with, so a global administrator alone sees them. */
import { readdir, readFile, stat } from 'node:fs/promises'
import { join } from 'node:path'

import { z } from 'zod'

import type { Config } from '#platform/config.ts'
import { mailStateOf } from '#platform/person-mail.ts'
import { roleBits } from '#platform/roles.ts'
import { chooseLanguage, type PageLanguage } from '#server/pages/languages.rules.ts'
import { escape, page } from '#server/pages/page.ts'

import type { FileRoutes } from './files.ts'
import type { PortalRoute } from './portal.types.ts'

/** The latest; older ones are in the folder. */
const most = 50
const mostBytes = 256 * 1024

const texts = {
  en: {
    title: 'Mails of this machine',
    lead: 'No mail server is set, so what would be sent is kept here for 7 days. Set MAIL_URL and MAIL_FROM to send it.',
    elsewhere: 'Mails go out by the mail server of this installation. None is kept here.',
    none: 'Nothing was written to anybody yet.',
    forbidden: 'This page is for global administrators',
    forbiddenLead: 'It shows links by which people sign in. Sign in as somebody who holds the role GlobalAdmin.',
    to: 'To',
    home: 'Start',
  },
  de: {
    title: 'E-Mails dieses Rechners',
    lead: 'Es ist kein Mailserver eingerichtet. Was gesendet würde, wird hier 7 Tage aufbewahrt. Setzen Sie MAIL_URL und MAIL_FROM, um es zu senden.',
    elsewhere: 'E-Mails gehen über den Mailserver dieser Installation hinaus. Hier wird keine aufbewahrt.',
    none: 'Es wurde noch niemandem geschrieben.',
    forbidden: 'Diese Seite ist für globale Administratoren',
    forbiddenLead: 'Sie zeigt Links, mit denen sich Menschen anmelden. Melden Sie sich mit der Rolle GlobalAdmin an.',
    to: 'An',
    home: 'Start',
  },
} satisfies Record<PageLanguage, object>

const keptMail = z.object({ at: z.iso.datetime(), to: z.string(), subject: z.string(), text: z.string() })
type KeptMail = z.infer<typeof keptMail>

/** One that is being written, or was written by hand, is left out. */
async function readMail(file: string): Promise<KeptMail[]> {
  try {
    if ((await stat(file)).size > mostBytes) return []
    return [keptMail.parse(JSON.parse(await readFile(file, 'utf8')))]
  } catch {
    return []
  }
}

async function latestMails(dataDir: string): Promise<KeptMail[]> {
  const folder = join(dataDir, 'mails')
  const names = (await readdir(folder).catch(() => [])).filter((name) => name.endsWith('.json'))
  // Their names begin with the time.
  const latest = names.sort().toReversed().slice(0, most)
  return (await Promise.all(latest.map((name) => readMail(join(folder, name))))).flat()
}

/** Links of this portal can be followed; all else is text. */
function linked(text: string, portalUrl: string): string {
  const parts = text.split(/(https?:\/\/[^\s]+)/)
  return parts.map((part) => (part.startsWith(`${portalUrl}/`) ? `<a href="${escape(part)}">${escape(part)}</a>` : escape(part))).join('')
}

interface Parts {
  readonly config: Config
  readonly admitted: FileRoutes['admitted']
}

export function createMailsRoute({ config, admitted }: Parts): PortalRoute {
  return {
    method: 'GET',
    path: '/ops/mail',
    async answer(visit) {
      const { refusal, roleFlag } = await admitted(visit)
      if (refusal) return refusal
      const language = chooseLanguage(undefined, visit.acceptLanguage)
      const words = texts[language]
      const show = (status: number, title: string, lead: string, rest = '') =>
        page({
          status,
          language,
          title,
          main: `<h1>${escape(title)}</h1>\n<p>${escape(lead)}</p>\n<p><a href="/">${escape(words.home)}</a></p>\n${rest}`,
        })
      if ((roleFlag & roleBits.GlobalAdmin) === 0) return show(403, words.forbidden, words.forbiddenLead)
      if (mailStateOf(config) !== 'local') return show(200, words.title, words.elsewhere)
      const mails = await latestMails(config.dataDir)
      const moment = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeStyle: 'medium', timeZone: 'UTC' })
      const cards = mails.map(
        ({ at, to, subject, text }) => `<section class="card">
<h2>${escape(subject)}</h2>
<p class="muted">${words.to} ${escape(to)} · <time datetime="${escape(at)}">${escape(moment.format(new Date(at)))} UTC</time></p>
<p class="letter">${linked(text, config.portalUrl)}</p>
</section>`,
      )
      return show(200, words.title, words.lead, cards.length === 0 ? `<p class="card">${escape(words.none)}</p>` : cards.join('\n'))
    },
  }
}
