/** The mails that ship with the product, in the languages that it speaks by itself. */
import type { MailText, TemplateType } from './mails.schema.ts'

const link = '[button: {label}]([[link]])'
const button = (label: string) => link.replace('{label}', label)

const english: Readonly<Record<TemplateType, MailText>> = {
  welcome: { subject: 'Welcome to [[tenant]]', body: `Hello [[recipient]],\n\nyou can sign in to [[tenant]] now.\n\n${button('Sign in')}` },
  invitation: {
    subject: 'Invitation to [[tenant]]',
    body: `You are invited to [[tenant]]. Open this link to choose how you sign in:\n\n${button('Accept')}\n\nIt holds for 7 days, and once. If you do not know who invites you, leave it.`,
  },
  passwordReset: {
    subject: 'A new password',
    body: `Somebody asked for a new password for you. Open this link to set one:\n\n${button('Set a password')}\n\nIt holds for an hour, and once. If it was not you, leave it: nothing changes.`,
  },
  secondFactor: {
    subject: 'Your sign-in was changed',
    body: '[[text]]\n\nIf it was not you, change your password, end the other sessions, and tell an administrator.',
  },
  taskAssigned: { subject: 'A task for you: [[title]]', body: `Hello [[recipient]],\n\n[[text]]\n\n${button('Open the task')}` },
  taskOverdue: { subject: 'Overdue: [[title]]', body: `Hello [[recipient]],\n\n[[text]]\n\n${button('Open the task')}` },
  reportDelivery: { subject: '[[title]]', body: '[[text]]' },
  digest: { subject: '[[title]]', body: 'Hello [[recipient]],\n\n[[text]]' },
  messageFallback: { subject: 'A message from [[tenant]]', body: `[[text]]\n\n${button('Answer')}` },
}

const german: Readonly<Partial<Record<TemplateType, MailText>>> = {
  welcome: {
    subject: 'Willkommen bei [[tenant]]',
    body: `Hallo [[recipient]],\n\nSie können sich jetzt bei [[tenant]] anmelden.\n\n${button('Anmelden')}`,
  },
  secondFactor: {
    subject: 'Ihre Anmeldung wurde geändert',
    body: '[[text]]\n\nWenn Sie es nicht waren, ändern Sie Ihr Passwort, beenden Sie die anderen Sitzungen, und sagen Sie es einem Administrator.',
  },
  invitation: {
    subject: 'Einladung zu [[tenant]]',
    body: `Sie sind zu [[tenant]] eingeladen. Öffnen Sie diesen Link, um zu wählen, wie Sie sich anmelden:\n\n${button('Annehmen')}\n\nEr gilt 7 Tage lang und einmal. Wenn Sie nicht wissen, wer Sie einlädt, lassen Sie ihn liegen.`,
  },
  passwordReset: {
    subject: 'Ein neues Passwort',
    body: `Jemand hat ein neues Passwort für Sie angefordert. Öffnen Sie diesen Link, um eines zu setzen:\n\n${button('Passwort setzen')}\n\nEr gilt eine Stunde lang und einmal. Wenn Sie es nicht waren, lassen Sie ihn liegen: nichts ändert sich.`,
  },
  taskAssigned: {
    subject: 'Eine Aufgabe für Sie: [[title]]',
    body: `Hallo [[recipient]],\n\n[[text]]\n\n${button('Aufgabe öffnen')}`,
  },
  taskOverdue: { subject: 'Überfällig: [[title]]', body: `Hallo [[recipient]],\n\n[[text]]\n\n${button('Aufgabe öffnen')}` },
  messageFallback: { subject: 'Eine Nachricht von [[tenant]]', body: `[[text]]\n\n${button('Antworten')}` },
}

/** In the language, else in English. */
export function shippedText(type: TemplateType, languageCode: string): MailText {
  return (languageCode.startsWith('de') ? german[type] : undefined) ?? english[type]
}
