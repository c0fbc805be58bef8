/** What people are told around a question, in the languages that the pages speak and two more. */
const texts = {
  en: {
    again: 'That was not understood. Please answer with one of these.',
    answered: (name: string, answer: string) => `${name} has answered${answer}. Nothing is left to do, thank you.`,
    somebody: 'Somebody',
    settled: 'This question needs no answer any more, thank you.',
    waits: (workflow: string, step: string) => `A task waits for you: ${workflow}, ${step}.`,
    reason: (action: string) => `“${action}” needs a reason. Answer with the choice and the reason in one message.`,
    openTask: 'Open the task',
    nobody: (task: string, run: number) =>
      `Nobody is found who could do a task: ${task}. Run ${run} waits until assign_workflow_instance gives it to somebody.`,
  },
  de: {
    again: 'Das wurde nicht verstanden. Bitte antworten Sie mit einem von diesen.',
    answered: (name: string, answer: string) => `${name} hat geantwortet${answer}. Es ist nichts mehr zu tun, danke.`,
    somebody: 'Jemand',
    settled: 'Diese Frage braucht keine Antwort mehr, danke.',
    waits: (workflow: string, step: string) => `Eine Aufgabe wartet auf Sie: ${workflow}, ${step}.`,
    reason: (action: string) => `„${action}“ braucht eine Begründung. Antworten Sie mit der Wahl und der Begründung in einer Nachricht.`,
    openTask: 'Aufgabe öffnen',
    nobody: (task: string, run: number) =>
      `Für eine Aufgabe findet sich niemand: ${task}. Lauf ${run} wartet, bis assign_workflow_instance sie jemandem gibt.`,
  },
  fr: {
    again: "Cela n'a pas été compris. Veuillez répondre par l'un de ceux-ci.",
    answered: (name: string, answer: string) => `${name} a répondu${answer}. Il n'y a plus rien à faire, merci.`,
    somebody: "Quelqu'un",
    settled: "Cette question n'attend plus de réponse, merci.",
    waits: (workflow: string, step: string) => `Une tâche vous attend : ${workflow}, ${step}.`,
    reason: (action: string) => `« ${action} » demande une raison. Répondez par le choix et la raison en un seul message.`,
    openTask: 'Ouvrir la tâche',
    nobody: (task: string, run: number) =>
      `Personne n'est trouvé pour une tâche : ${task}. L'exécution ${run} attend que assign_workflow_instance la confie à quelqu'un.`,
  },
  es: {
    again: 'No se ha entendido. Responda, por favor, con una de estas opciones.',
    answered: (name: string, answer: string) => `${name} ha respondido${answer}. Ya no hay nada que hacer, gracias.`,
    somebody: 'Alguien',
    settled: 'Esta pregunta ya no necesita respuesta, gracias.',
    waits: (workflow: string, step: string) => `Le espera una tarea: ${workflow}, ${step}.`,
    reason: (action: string) => `«${action}» necesita un motivo. Responda con la opción y el motivo en un solo mensaje.`,
    openTask: 'Abrir la tarea',
    nobody: (task: string, run: number) =>
      `No hay nadie para una tarea: ${task}. La ejecución ${run} espera hasta que assign_workflow_instance se la dé a alguien.`,
  },
} as const

type Language = keyof typeof texts

function languageOf(languageCode: string | undefined): Language {
  const primary = languageCode?.toLowerCase().split('-', 1)[0] ?? 'en'
  return primary in texts ? (primary as Language) : 'en'
}

export const againText = (languageCode: string | undefined) => texts[languageOf(languageCode)].again

export const settledText = (languageCode: string | undefined) => texts[languageOf(languageCode)].settled

/** Somebody else was first; `label` is the choice that they took. */
export function answeredText(languageCode: string | undefined, name: string | undefined, label: string | undefined): string {
  const { answered, somebody } = texts[languageOf(languageCode)]
  return answered(name ?? somebody, label === undefined ? '' : `: ${label}`)
}

export const waitsText = (languageCode: string | undefined, workflow: string, step: string) =>
  texts[languageOf(languageCode)].waits(workflow, step)

export const reasonText = (languageCode: string | undefined, action: string) => texts[languageOf(languageCode)].reason(action)

export const openTaskText = (languageCode: string | undefined) => texts[languageOf(languageCode)].openTask

export const nobodyText = (languageCode: string | undefined, task: string, run: number) => texts[languageOf(languageCode)].nobody(task, run)
