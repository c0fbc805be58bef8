/** What a recipient is written, in the languages that the page speaks. */
const sentences = {
  en: {
    ask: (tenant: string, until: string) =>
      `${tenant} asks you to fill in a form. The link is for you alone and takes one answer, until ${until}.`,
    open: 'Open the form',
    askTask: (tenant: string, until: string) =>
      `${tenant} needs an answer from you. The link is for you alone and takes one answer, until ${until}.`,
    openTask: 'Open the task',
  },
  de: {
    ask: (tenant: string, until: string) =>
      `${tenant} bittet Sie, ein Formular auszufüllen. Der Link gilt nur für Sie und nimmt eine Antwort an, bis ${until}.`,
    open: 'Formular öffnen',
    askTask: (tenant: string, until: string) =>
      `${tenant} braucht eine Antwort von Ihnen. Der Link gilt nur für Sie und nimmt eine Antwort an, bis ${until}.`,
    openTask: 'Aufgabe öffnen',
  },
} as const

/** The text of the message, and what its link is called. */
export function invitation(
  languageCode: string,
  {
    tenant,
    expiresAt,
    zone,
    isTask,
  }: { readonly tenant: string; readonly expiresAt: string; readonly zone: string | null; readonly isTask: boolean },
): { readonly text: string; readonly label: string } {
  const primary = languageCode.toLowerCase().split('-', 1)[0]
  const language = primary === 'de' ? 'de' : 'en'
  const until = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone: zone ?? 'UTC' }).format(
    new Date(expiresAt),
  )
  const { ask, open, askTask, openTask } = sentences[language]
  const shown = zone === null ? `${until} UTC` : until
  return isTask ? { text: askTask(tenant, shown), label: openTask } : { text: ask(tenant, shown), label: open }
}

/** What people call a form: its description where that is a title, else the words of its name. */
export function titleOf({ internalName, description }: { readonly internalName: string; readonly description: string }): {
  readonly title: string
  readonly description: string
} {
  const said = description.trim()
  if (said !== '' && said.length <= 80 && !said.includes('\n')) return { title: said.replace(/\.$/, ''), description: '' }
  const words = internalName
    .replaceAll('_', ' ')
    .replace(/([a-z\d])([A-Z])/g, '$1 $2')
    .trim()
  return { title: words, description: said }
}
