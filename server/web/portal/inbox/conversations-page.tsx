/** Conversations of the tenant, the newest first, and one of them whole. */
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { answerOf, api, dataOf, once } from '../client.ts'
import { holds } from '../me.ts'
import { roomAddress } from '../page.ts'
import { ActForm, Choice, Moment, Page } from '../parts/basics.tsx'
import { More } from '../parts/more.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown, ShownPage } from '../parts/shown.tsx'
import { Table } from '../parts/table.tsx'
import { FileLinks } from '../records/files.tsx'
import { texts } from '../texts/index.ts'

const words = texts.inbox

type State = 'open' | 'ended' | ''
const bodyOf = (state: State) => ({ pageSize: 50, ...(state === '' ? {} : { state }) })

async function listConversations(state: State, cursor?: string) {
  const body = { ...bodyOf(state), ...(cursor === undefined ? {} : { cursor }) }
  const { data, headers } = await answerOf(api.POST('/api/v1/messaging/conversations/list', { body }))
  return { conversations: data, next: headers.get('x-next-cursor') }
}
type Conversation = Awaited<ReturnType<typeof listConversations>>['conversations'][number]

const whomOf = ({ address, tenantUserId }: Pick<Conversation, 'address' | 'tenantUserId'>) => address ?? words.user(tenantUserId ?? 0)

export function ConversationsPage() {
  const [state, setState] = useState<State>('')
  const { loaded, reload, set } = useAnswer(() => listConversations(state), state)
  return (
    <Page title={words.conversations} lead={words.conversationsLead} wide>
      <Choice
        label={words.state}
        value={state}
        onValue={(value) => setState(value === 'open' || value === 'ended' ? value : '')}
        options={[
          { value: '', label: words.allStates },
          { value: 'open', label: words.states.open },
          { value: 'ended', label: words.states.ended },
        ]}
      />
      <Shown of={loaded} reload={reload}>
        {({ conversations, next }) => (
          <>
            <Table
              label={words.conversations}
              none={words.noConversations}
              rows={conversations}
              keyOf={({ conversationId }) => conversationId}
              columns={[
                { title: words.whom, of: (one) => <a href={roomAddress(`conversations/${one.conversationId}`)}>{whomOf(one)}</a> },
                { title: words.channel, of: ({ channel }) => channel },
                { title: words.state, of: (one) => words.states[one.state] },
                { title: words.lastMessage, of: ({ lastMessageDate }) => <Moment at={lastMessageDate} /> },
              ]}
            />
            <More
              next={next}
              load={async (cursor) => {
                const following = await listConversations(state, cursor)
                set({ conversations: [...conversations, ...following.conversations], next: following.next })
              }}
            />
          </>
        )}
      </Shown>
      <CallSamples tool="list_conversations" method="POST" path="/api/v1/messaging/conversations/list" input={bodyOf(state)} />
    </Page>
  )
}

const read = (conversationId: number, afterSeq = 0) =>
  dataOf(
    api.POST('/api/v1/messaging/conversations/{conversationId}', {
      params: { path: { conversationId } },
      body: { afterSeq, pageSize: 200 },
    }),
  )

function Write({ conversationId, onSent }: { conversationId: number; onSent: () => unknown }) {
  const act = useAct()
  const [text, setText] = useState('')
  async function send() {
    await dataOf(api.POST('/api/v1/messaging/send', { body: { conversationId, text }, headers: once() }))
    setText('')
    await onSent()
  }
  return (
    <ActForm act={act} label={words.send} onSend={send} done={words.sent}>
      <div class="field">
        <label for="write">{words.write}</label>
        <textarea id="write" rows={3} maxLength={16_000} required value={text} onInput={(event) => setText(event.currentTarget.value)} />
      </div>
    </ActForm>
  )
}

export function ConversationPage() {
  const id = Number(useRoute().params['conversation'])
  const { loaded, reload, set } = useAnswer(() => read(id), String(id))
  return (
    <ShownPage of={loaded} reload={reload}>
      {(conversation) => (
        <Page title={whomOf(conversation)} lead={`${conversation.channel} · ${words.states[conversation.state]}`}>
          <p>
            <a href={roomAddress('conversations')}>{words.conversations}</a>
          </p>
          <ol class="plain talk">
            {conversation.messages.map(({ messageId, direction, from, text, card, choice, assetKeys, at, status, reason }) => (
              <li key={messageId} class={direction === 'outbound' ? 'ours' : 'theirs'}>
                <p class="muted">
                  {from} · <Moment at={at} />
                  {direction === 'outbound' && ` · ${words.statuses[status] ?? status}${reason === undefined ? '' : ` (${reason})`}`}
                </p>
                {card?.title !== undefined && <p class="said">{card.title}</p>}
                <p class="said">{text === '' ? (choice ?? '') : text}</p>
                {assetKeys.length > 0 && <FileLinks value={assetKeys} />}
              </li>
            ))}
          </ol>
          <More
            next={conversation.hasMore ? (conversation.messages.at(-1)?.seq ?? 0) : null}
            load={async (afterSeq) => {
              const following = await read(id, afterSeq)
              set({ ...following, messages: [...conversation.messages, ...following.messages] })
            }}
          />
          {conversation.state === 'open' && holds('DataEdit') && <Write conversationId={id} onSent={reload} />}
          <CallSamples
            tool="get_conversation"
            method="POST"
            path={`/api/v1/messaging/conversations/${id}`}
            input={{}}
            toolInput={{ conversationId: id }}
          />
        </Page>
      )}
    </ShownPage>
  )
}
