/** What was written to the person, and their answers; it looks for more while it is open. */
import { useEffect, useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf, inBackground, once } from '../client.ts'
import { holds } from '../me.ts'
import { roomAddress } from '../page.ts'
import { ActForm, Moment, Page } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown } from '../parts/shown.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { FileLinks } from '../records/files.tsx'
import { texts } from '../texts/index.ts'

const words = texts.inbox
const lookMs = 20_000

const listInbox = (headers = {}) => dataOf(api.POST('/api/v1/messaging/inbox', { body: { pageSize: 100 }, headers }))
type Inbox = Awaited<ReturnType<typeof listInbox>>
type Message = Inbox['messages'][number]

function Answer({ message, onDone }: { message: Message; onDone: () => unknown }) {
  const act = useAct()
  const tap = useAct()
  const [text, setText] = useState('')
  const [chosen, setChosen] = useState('')
  const [id] = useState(() => `answer-${message.messageId}`)
  const path = { messageId: message.messageId }
  async function answer(body: { text: string } | { choice: string }) {
    await dataOf(api.POST('/api/v1/messaging/inbox/{messageId}/answer', { params: { path }, body, headers: once() }))
    setText('')
    await onDone()
  }
  const choices = message.card?.choices ?? []
  return (
    <>
      {choices.length > 0 && (
        <div class="acts" role="group" aria-label={words.choicesOf(message.from)}>
          {choices.map(({ key, label }) => (
            <button
              type="button"
              aria-disabled={tap.isBusy}
              onClick={() => void tap.run(() => answer({ choice: key })).then((isDone) => (isDone ? setChosen(label) : undefined))}
            >
              {label}
            </button>
          ))}
          <span class="done" role="status">
            {chosen !== '' && words.chose(chosen)}
          </span>
        </div>
      )}
      <TroubleNote trouble={tap.trouble} />
      <ActForm act={act} label={words.send} onSend={() => answer({ text })} done={words.sent}>
        <div class="field">
          <label for={id}>{words.answerTo(message.from)}</label>
          <textarea id={id} rows={2} maxLength={16_000} required value={text} onInput={(event) => setText(event.currentTarget.value)} />
        </div>
      </ActForm>
    </>
  )
}

function Entry({ message, onDone }: { message: Message; onDone: () => unknown }) {
  const { from, at, text, card, assetKeys, isRead, answeredDate, conversationState, conversationId } = message
  return (
    <li class={isRead ? 'card' : 'card unread'}>
      <div class="head">
        <h2>{from}</h2>
        <Moment at={at} />
      </div>
      {!isRead && <p class="mark wait">{words.unread}</p>}
      {card?.title !== undefined && <h3>{card.title}</h3>}
      {card?.text !== undefined && <p class="said">{card.text}</p>}
      <p class="said">{text}</p>
      {assetKeys.length > 0 && <FileLinks value={assetKeys} />}
      {card?.link && (
        <p>
          <a href={card.link.url} target="_blank" rel="noopener noreferrer">
            {card.link.label}
          </a>
        </p>
      )}
      {answeredDate !== undefined && (
        <p class="muted">
          {words.answered} <Moment at={answeredDate} />
        </p>
      )}
      {conversationState === 'ended' ? <p class="muted">{words.ended}</p> : <Answer message={message} onDone={onDone} />}
      {holds('DataView') && (
        <p>
          <a href={roomAddress(`conversations/${conversationId}`)}>{words.whole}</a>
        </p>
      )}
    </li>
  )
}

export function InboxPage() {
  const { loaded, reload, set } = useAnswer(() => listInbox())
  const act = useAct()
  useEffect(() => {
    // What comes is shown while somebody looks; looking does not keep a session alive, nor does a failure of it disturb.
    const timer = setInterval(() => {
      if (!document.hidden) void listInbox(inBackground).then(set, () => undefined)
    }, lookMs)
    return () => clearInterval(timer)
  }, [set])
  const markRead = (inboxSeq: number) =>
    act.run(async () => {
      await dataOf(api.POST('/api/v1/messaging/inbox/read', { body: { inboxSeq } }))
      await reload()
    })
  return (
    <Page title={words.title} lead={words.lead}>
      {holds('DataView') && (
        <p>
          <a class="button" href={roomAddress('conversations')}>
            {words.conversations}
          </a>
        </p>
      )}
      <Shown of={loaded} reload={reload}>
        {({ messages, unread }) => (
          <>
            <p class="acts">
              <span role="status">{words.unreadCount(unread)}</span>
              {unread > 0 && messages[0] && (
                <button
                  type="button"
                  aria-disabled={act.isBusy}
                  onClick={() => void markRead(Math.max(...messages.map(({ inboxSeq }) => inboxSeq)))}
                >
                  {words.markRead}
                </button>
              )}
            </p>
            <TroubleNote trouble={act.trouble} />
            {messages.length === 0 ? (
              <p class="card">{words.none}</p>
            ) : (
              <ul class="plain">
                {messages.map((message) => (
                  <Entry key={message.messageId} message={message} onDone={reload} />
                ))}
              </ul>
            )}
          </>
        )}
      </Shown>
      <CallSamples tool="list_inbox" method="POST" path="/api/v1/messaging/inbox" input={{ pageSize: 100 }} />
    </Page>
  )
}
