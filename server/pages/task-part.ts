/** What the page of a link shows of a task: its buttons, and room for a word to them. */
import type { OpenedLink } from '#tools/forms/links/links.schema.ts'

import { attributes } from './form-controls.ts'
import type { PageLanguage } from './languages.rules.ts'
import { escape } from './page.ts'
import { textsOf } from './texts.ts'

type Task = NonNullable<OpenedLink['task']>
export type TaskButton = Task['actions'][number]

export function timeIn(language: PageLanguage, timeZone: string, at: string): string {
  const shown = new Intl.DateTimeFormat(language, { dateStyle: 'long', timeStyle: 'short', timeZone }).format(new Date(at))
  return timeZone === 'UTC' ? `${shown} UTC` : shown
}

/** What a button says: what its definition says in words, else what people call it here. */
export function buttonText({ internalName, label }: TaskButton, language: PageLanguage): string {
  return label === internalName ? (textsOf(language).actions[internalName] ?? label) : label
}

/** Room for a comment, where it is more than one press. */
function commentHtml({ actions }: Task, language: PageLanguage, comment: string): string {
  const texts = textsOf(language)
  const needing = actions.filter(({ requiresComment }) => requiresComment)
  if (actions.length === 1 && needing.length === 0) return ''
  const help = needing.length === 0 ? '' : texts.commentFor(needing.map((one) => buttonText(one, language)).join(', '))
  const note = help === '' ? '' : `<p class="help" id="comment-help">${escape(help)}</p>`
  const area = attributes({
    id: 'comment',
    name: 'comment',
    rows: 3,
    maxlength: 4_000,
    'aria-describedby': help === '' ? undefined : 'comment-help',
  })
  return `<section class="card"><label for="comment">${texts.comment}</label>${note}<textarea${area}>\n${escape(comment)}</textarea></section>`
}

/** The end of the form: what was called `act` is the button that was pressed, for a page that sends by itself. */
export function taskHtml(task: Task, language: PageLanguage, comment: string): string {
  const texts = textsOf(language)
  const buttons = task.actions.map((action, at) => {
    const text = buttonText(action, language)
    const needs = action.requiresComment ? texts.needsComment(text) : undefined
    const own = attributes({
      class: at === 0 ? 'main' : undefined,
      name: 'do',
      value: `act:${action.internalName}`,
      'data-needs-comment': needs,
    })
    return `<button${own}>${escape(text)}</button>`
  })
  return `${commentHtml(task, language, comment)}
<input type="hidden" name="act" value="">
<p class="send">${buttons.join(' ')}</p>`
}
