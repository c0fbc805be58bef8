/** The page of a channel without a vendor: each recipient's handset or mailbox, with what arrived and what can be done there. It works without script. */
import type { PageAnswer } from '#platform/web-page.ts'
import type { HandsetMessage, Handsets } from '#tools/messaging/handsets/handsets.schema.ts'

import { escape, page } from './page.ts'

export interface HandsetView {
  readonly channelKey: string
  readonly address: string | undefined
  readonly found: Handsets
  /** Why what was just done did not go through. */
  readonly problem?: string | undefined
  readonly status?: number
}

export const handsetPath = (channelKey: string, address: string | undefined) =>
  `/handsets/${encodeURIComponent(channelKey)}${address === undefined ? '' : `/${encodeURIComponent(address)}`}`

const shownTime = (at: string) => `<time datetime="${at}">${at.slice(0, 10)} ${at.slice(11, 16)} UTC</time>`

const hints: Readonly<Record<HandsetMessage['status'], string>> = {
  queued: 'on its way',
  sent: 'arrived',
  delivered: 'delivered',
  read: 'read',
  failed: 'failed',
  unknown: 'unknown',
  suppressed: 'not sent: the recipient said STOP',
}

function actsOn({ messageId, status, choices }: HandsetMessage): string {
  const taps = choices.map(({ key, label }) => `<button name="tap" value="${messageId}:${escape(key)}">${escape(label)}</button>`)
  const of = (word: string, label: string) => `<button name="status" value="${messageId}:${word}">${label}</button>`
  const marks = [
    ...(status === 'sent' ? [of('delivered', 'Mark as delivered'), of('failed', 'Let it fail')] : []),
    ...(status === 'sent' || status === 'delivered' ? [of('read', 'Mark as read')] : []),
  ]
  // What did not arrive cannot be tapped.
  const isHere = status === 'sent' || status === 'delivered' || status === 'read'
  const group = (label: string, buttons: readonly string[]) =>
    buttons.length === 0 ? '' : `<div class="acts" role="group" aria-label="${label} of message ${messageId}">${buttons.join('')}</div>`
  return group('Answers', isHere ? taps : []) + group('Reports', marks)
}

/** What was written, with its addresses to be followed. */
function textHtml(text: string): string {
  const parts = text.split(/(https?:\/\/[^\s<>"]*[^\s<>".,;:!?)])/)
  return parts.map((part, at) => (at % 2 === 1 ? `<a href="${escape(part)}" rel="noreferrer">${escape(part)}</a>` : escape(part))).join('')
}

function messageHtml(message: HandsetMessage, isMailbox: boolean): string {
  const { direction, subject, text, files, status, reason, at } = message
  const isOurs = direction === 'outbound'
  const links = files.map(({ fileName, url }) => `<li><a href="${escape(url)}">${escape(fileName)}</a></li>`).join('')
  const said = isOurs ? `${hints[status]}${reason === undefined ? '' : ` (${escape(reason)})`}` : 'written here'
  return `<li class="said ${isOurs ? 'theirs' : 'mine'}">
${isMailbox && subject !== undefined ? `<h3>${escape(subject)}</h3>\n` : ''}<p class="text">${textHtml(text)}</p>
${links === '' ? '' : `<ul class="files">${links}</ul>\n`}<p class="muted">${shownTime(at)} · ${said}</p>
${isOurs ? actsOn(message) : ''}</li>`
}

function handsetHtml({ found, address = '' }: HandsetView): string {
  const isMailbox = found.channel === 'email'
  const messages = found.messages.map((message) => messageHtml(message, isMailbox)).join('\n')
  const none = '<p>Nothing has arrived here yet.</p>'
  return `<section class="card" aria-labelledby="of">
<h2 id="of">${isMailbox ? 'Mailbox' : 'Handset'} of ${escape(address)}</h2>
<form method="post" enctype="multipart/form-data">
<div id="messages">${messages === '' ? none : `<ol class="talk">\n${messages}\n</ol>`}</div>
<div class="field"><label for="text">Write as ${escape(address)}</label>
<textarea id="text" name="text" rows="3" maxlength="16000"></textarea></div>
<p class="acts"><button class="main" name="answer" value="yes">Send</button><a class="button" href="">Look again</a></p>
<fieldset><legend>The next message to this ${isMailbox ? 'mailbox' : 'handset'}</legend>
<div class="acts"><button name="next" value="fail">Fails</button><button name="next" value="10">Comes 10 s later</button><button name="next" value="60">Comes 60 s later</button></div>
</fieldset>
</form>
</section>`
}

export function handsetPage(view: HandsetView): PageAnswer {
  const { channelKey, address, found, problem, status = 200 } = view
  const isMailbox = found.channel === 'email'
  const title = `${isMailbox ? 'Mailboxes' : 'Handsets'} of ${found.internalName}`
  const entries = found.handsets.map(({ address: other, lastMessageDate }) => {
    const current = other === address ? ' aria-current="page"' : ''
    return `<li><a href="${handsetPath(channelKey, other)}"${current}>${escape(other)}</a> <small>${shownTime(lastMessageDate)}</small></li>`
  })
  const list = entries.length === 0 ? '<p>Nobody has been written to yet.</p>' : `<ul>\n${entries.join('\n')}\n</ul>`
  return page({
    status,
    language: 'en',
    title,
    styles: ['form.css', 'handset.css'],
    scripts: ['handset.js'],
    main: `<h1>${escape(title)}</h1>
<div class="note"><p>This channel has no vendor: what is sent by ${escape(found.channel)} through it arrives here, and nowhere else.</p></div>
${problem === undefined ? '' : `<div class="note bad" role="alert"><p>${escape(problem)}</p></div>\n`}<nav class="card" aria-label="Recipients">
<h2>Recipients</h2>
${list}
</nav>
${address === undefined ? '' : handsetHtml(view)}`,
  })
}
