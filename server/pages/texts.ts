/** What the pages say, in each of their languages. Names of forms and fields are the tenant's own and come with the form. */
import type { PageLanguage } from './languages.rules.ts'

const en = {
  skip: 'Skip to the content',
  from: (tenant: string) => `From ${tenant}`,
  until: (when: string) => `You can answer until ${when}. The link is for you alone and takes one answer.`,
  required: 'required',
  optionalHint: 'What is marked with * is required.',
  send: 'Send',
  sending: 'Sending…',
  choose: 'Please choose',
  yes: 'Yes',
  no: 'No',
  isFixed: 'cannot be changed here',
  present: (count: number) => (count === 1 ? 'One file is there already.' : `${count} files are there already.`),
  keepFile: (name: string) => `Taken: ${name}`,
  fileLimits: (mebibytes: number, kinds: string) =>
    `${kinds === '' ? 'Any kind of file' : `Files of these kinds: ${kinds}`}, up to ${mebibytes} MB each.`,
  takePhoto: 'Opens the camera where there is one.',
  signHere: 'Sign here with a finger, a pen or the mouse',
  typedName: 'Or type your name as your signature',
  clear: 'Clear the signature',
  row: (number: number | string, title: string) => `${title} ${number}`,
  addRow: (title: string) => `Add another: ${title}`,
  removeRow: (title: string) => `Remove ${title}`,
  onePerLine: 'One on each line.',
  dependent: 'Only where it applies to what you answered.',
  problems: (count: number) => (count === 1 ? 'One answer needs another look' : `${count} answers need another look`),
  isMissing: (name: string) => `${name} – an answer is needed`,
  noNumber: (name: string) => `${name} – a number is needed`,
  tooPrecise: (name: string, most: string) => `${name} – at most ${most} digits can be kept`,
  tooSmall: (name: string, least: string) => `${name} – at least ${least}`,
  tooLarge: (name: string, most: string) => `${name} – at most ${most}`,
  tooShort: (name: string, least: string) => `${name} – at least ${least} characters`,
  tooLong: (name: string, most: string) => `${name} – at most ${most} characters`,
  tooMany: (name: string, most: string) => `${name} – at most ${most} values`,
  fileTooLarge: (name: string, mebibytes: number) => `${name} – a file is larger than ${mebibytes} MB. Choose a smaller one.`,
  isLost: (name: string, text: string) => `${name} is not asked for any more. You had answered: ${text}. The rest can be sent.`,
  offline: 'You are offline. What you type stays on this device.',
  waiting: 'Your answer is kept on this device and will be sent as soon as the network is back. Please leave this page open.',
  restored: 'What you typed before is back.',
  notSent: 'That did not work. Nothing was lost; please try again.',
  thanks: 'Thank you',
  received: 'Your answer has arrived. You can close this page.',
  gone: {
    used: {
      title: 'This link has been used',
      text: 'It takes one answer, and that has arrived. If it was not you, or something needs to be changed, ask whoever sent you the link.',
    },
    expired: { title: 'This link has expired', text: 'Nothing was sent. Ask whoever sent it for a new one.' },
    revoked: { title: 'This link was withdrawn', text: 'Whoever sent it does not need an answer here any more. If in doubt, ask them.' },
    unknown: {
      title: 'This link leads nowhere',
      text: 'Perhaps a part of it was lost on the way. Open it again from the message that brought it, as a whole, or ask for a new one.',
    },
    forbidden: {
      title: 'This form cannot be answered now',
      text: 'Whoever sent the link may no longer do what it is for. What you typed stays on this page; ask them for a new link.',
    },
    tooLarge: {
      title: 'This form is too large to be shown here',
      text: 'Ask whoever sent the link for a shorter one.',
    },
    busy: { title: 'Many are here at this moment', text: 'Please wait a minute and open the link again. It stays good.' },
    failed: { title: 'That did not work', text: 'The fault is on our side. Please open the link again in a while. It stays good.' },
  },
}

export type Texts = typeof en

const de: Texts = {
  skip: 'Zum Inhalt springen',
  from: (tenant) => `Von ${tenant}`,
  until: (when) => `Sie können bis ${when} antworten. Der Link gilt nur für Sie und nimmt eine Antwort an.`,
  required: 'erforderlich',
  optionalHint: 'Was mit * bezeichnet ist, ist erforderlich.',
  send: 'Absenden',
  sending: 'Wird gesendet …',
  choose: 'Bitte wählen',
  yes: 'Ja',
  no: 'Nein',
  isFixed: 'kann hier nicht geändert werden',
  present: (count) => (count === 1 ? 'Eine Datei ist schon da.' : `${count} Dateien sind schon da.`),
  keepFile: (name) => `Angenommen: ${name}`,
  fileLimits: (mebibytes, kinds) =>
    `${kinds === '' ? 'Dateien jeder Art' : `Dateien dieser Arten: ${kinds}`}, je höchstens ${mebibytes} MB.`,
  takePhoto: 'Öffnet die Kamera, wo es eine gibt.',
  signHere: 'Hier mit Finger, Stift oder Maus unterschreiben',
  typedName: 'Oder tippen Sie Ihren Namen als Unterschrift',
  clear: 'Unterschrift löschen',
  row: (number, title) => `${title} ${number}`,
  addRow: (title) => `Weitere Zeile: ${title}`,
  removeRow: (title) => `Entfernen: ${title}`,
  onePerLine: 'Eines in jeder Zeile.',
  dependent: 'Nur wo es zu Ihren Antworten passt.',
  problems: (count) => (count === 1 ? 'Eine Antwort braucht einen zweiten Blick' : `${count} Antworten brauchen einen zweiten Blick`),
  isMissing: (name) => `${name} – Hier fehlt eine Antwort`,
  noNumber: (name) => `${name} – Hier wird eine Zahl gebraucht`,
  tooPrecise: (name, most) => `${name} – höchstens ${most} Ziffern lassen sich behalten`,
  tooSmall: (name, least) => `${name} – mindestens ${least}`,
  tooLarge: (name, most) => `${name} – höchstens ${most}`,
  tooShort: (name, least) => `${name} – mindestens ${least} Zeichen`,
  tooLong: (name, most) => `${name} – höchstens ${most} Zeichen`,
  tooMany: (name, most) => `${name} – höchstens ${most} Werte`,
  fileTooLarge: (name, mebibytes) => `${name} – Eine Datei ist größer als ${mebibytes} MB. Wählen Sie eine kleinere.`,
  isLost: (name, text) => `${name} wird nicht mehr gefragt. Sie hatten geantwortet: ${text}. Das Übrige lässt sich absenden.`,
  offline: 'Sie sind offline. Was Sie tippen, bleibt auf diesem Gerät.',
  waiting: 'Ihre Antwort liegt auf diesem Gerät und wird gesendet, sobald das Netz wieder da ist. Bitte lassen Sie diese Seite offen.',
  restored: 'Was Sie vorher getippt haben, ist wieder da.',
  notSent: 'Das hat nicht geklappt. Nichts ging verloren; bitte versuchen Sie es noch einmal.',
  thanks: 'Danke',
  received: 'Ihre Antwort ist angekommen. Sie können diese Seite schließen.',
  gone: {
    used: {
      title: 'Dieser Link wurde schon benutzt',
      text: 'Er nimmt eine Antwort an, und die ist angekommen. Waren Sie es nicht oder ist etwas zu ändern, fragen Sie, wer Ihnen den Link geschickt hat.',
    },
    expired: {
      title: 'Dieser Link ist abgelaufen',
      text: 'Es wurde nichts gesendet. Fragen Sie, wer ihn geschickt hat, nach einem neuen.',
    },
    revoked: {
      title: 'Dieser Link wurde zurückgezogen',
      text: 'Wer ihn geschickt hat, braucht hier keine Antwort mehr. Fragen Sie im Zweifel nach.',
    },
    unknown: {
      title: 'Dieser Link führt nirgendwohin',
      text: 'Vielleicht ging unterwegs ein Teil verloren. Öffnen Sie ihn noch einmal ganz aus der Nachricht, mit der er kam, oder bitten Sie um einen neuen.',
    },
    forbidden: {
      title: 'Dieses Formular kann gerade nicht beantwortet werden',
      text: 'Wer den Link geschickt hat, darf das vielleicht nicht mehr, wofür er da ist. Was Sie getippt haben, bleibt auf dieser Seite; bitten Sie um einen neuen Link.',
    },
    tooLarge: {
      title: 'Dieses Formular ist zu groß, um es hier zu zeigen',
      text: 'Bitten Sie, wer den Link geschickt hat, um ein kürzeres.',
    },
    busy: {
      title: 'Gerade sind viele hier',
      text: 'Bitte warten Sie eine Minute und öffnen Sie den Link noch einmal. Er gilt weiter.',
    },
    failed: {
      title: 'Das hat nicht geklappt',
      text: 'Der Fehler liegt bei uns. Bitte öffnen Sie den Link in einer Weile noch einmal. Er gilt weiter.',
    },
  },
}

const texts: Readonly<Record<PageLanguage, Texts>> = { en, de }

export function textsOf(language: PageLanguage): Texts {
  return texts[language]
}
