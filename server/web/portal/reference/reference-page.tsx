/** Every operation with a page of its own: what it is for, and a place to try it out in the session, or with a key that is forgotten with the page. */
import { useRoute } from 'preact-iso'
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { Refusal, tryCall } from '../client.ts'
import { roomAddress, tenant } from '../page.ts'
import { ActForm, Card, Line, Page } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown, ShownPage } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'

const words = texts.reference

interface Example {
  readonly title: string
  readonly pathParameters: Readonly<Record<string, string | number | undefined>>
  readonly body?: unknown
}

interface Operation {
  readonly domain: string
  readonly title: string
  readonly method: string
  readonly path: string
  readonly whoMayCall: string
  readonly isTool: boolean
  readonly effect: string
  readonly context: string
  readonly errors: readonly { readonly code: string; readonly status: number; readonly meaning: string }[]
  readonly examples: readonly Example[]
}
type Operations = Readonly<Record<string, Operation>>

let known: Promise<Operations> | undefined

/** What the portal tells integrators of all operations, asked once. */
function listOperations(): Promise<Operations> {
  known ??= fetch('/api/enrichments.json', { headers: { accept: 'application/json' } }).then(
    async (response) => {
      if (!response.ok) throw new Refusal({ code: 'no_answer', detail: '' })
      // The portal's own file: operations by their names.
      return ((await response.json()) as { operations: Operations }).operations
    },
    (): never => {
      throw new Refusal({ code: 'offline', detail: '' })
    },
  )
  known.catch(() => (known = undefined))
  return known
}

export function ReferencePage() {
  const { loaded, reload } = useAnswer(listOperations)
  const [typed, setTyped] = useState('')
  const wanted = typed.trim().toLowerCase().replaceAll(' ', '_')
  return (
    <Page title={words.title} lead={words.lead}>
      <Shown of={loaded} reload={reload}>
        {(operations) => (
          <>
            <Line label={words.find} type="search" value={typed} onValue={setTyped} />
            <ul class="entries card">
              {Object.entries(operations)
                .filter(([name, { title }]) => name.includes(wanted) || title.toLowerCase().includes(typed.trim().toLowerCase()))
                .map(([name, { title }]) => (
                  <li key={name}>
                    <div>
                      <a href={roomAddress(`reference/${name}`)}>
                        <code>{name}</code>
                      </a>
                      <p class="muted">{title}</p>
                    </div>
                  </li>
                ))}
            </ul>
          </>
        )}
      </Shown>
    </Page>
  )
}

const parametersOf = (path: string) => [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
const shown = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value, undefined, 2))

function TryIt({ operation }: { operation: Operation }) {
  const act = useAct()
  const [example] = operation.examples
  const takesBody = operation.method !== 'GET' && operation.method !== 'DELETE'
  const [path, setPath] = useState<Readonly<Record<string, string>>>(() =>
    Object.fromEntries(parametersOf(operation.path).map((name) => [name, String(example?.pathParameters[name] ?? '')])),
  )
  const [body, setBody] = useState(shown(example?.body ?? {}))
  const [key, setKey] = useState('')
  const [answer, setAnswer] = useState<{ readonly status: number; readonly ms: number; readonly text: string }>()
  const address = operation.path.replaceAll(/\{(\w+)\}/g, (_whole, name: string) => encodeURIComponent(path[name] ?? ''))
  async function send() {
    setAnswer(undefined)
    setAnswer(
      await tryCall({ method: operation.method, address: `/t/${tenant}${address}`, body: takesBody ? body : undefined, key: key.trim() }),
    )
  }
  return (
    <Card title={words.tryIt}>
      {operation.effect !== 'read' && <p class="note">{words.isReal}</p>}
      <ActForm act={act} label={`${operation.method} ${address}`} onSend={send}>
        {Object.entries(path).map(([name, value]) => (
          <Line key={name} label={name} value={value} onValue={(text) => setPath({ ...path, [name]: text })} required />
        ))}
        {takesBody && (
          <div class="field">
            <label for="body">{words.body}</label>
            <textarea
              id="body"
              class="code"
              rows={10}
              spellcheck={false}
              value={body}
              onInput={(event) => setBody(event.currentTarget.value)}
            />
          </div>
        )}
        <Line label={words.key} hint={words.keyHint} type="password" value={key} onValue={setKey} autocomplete="off" />
      </ActForm>
      {answer && (
        <div role="status">
          <p>{words.answered(answer.status, answer.ms)}</p>
          <pre tabIndex={0} role="group" aria-label={words.answer}>
            <code>{answer.text}</code>
          </pre>
        </div>
      )}
    </Card>
  )
}

export function OperationPage() {
  const name = useRoute().params['operation'] ?? ''
  const { loaded, reload } = useAnswer(async () => {
    const operation = (await listOperations())[name]
    if (!operation) throw new Refusal({ code: 'not_found', detail: words.unknown(name) })
    return operation
  }, name)
  return (
    <ShownPage of={loaded} reload={reload}>
      {(operation) => (
        <Page title={operation.title} lead={name}>
          <p class="said">{operation.context.split('\n\n')[0]}</p>
          <dl class="facts">
            <dt>REST</dt>
            <dd>
              <code>
                {operation.method} {operation.path}
              </code>
            </dd>
            <dt>{words.whoMayCall}</dt>
            <dd>{operation.whoMayCall}</dd>
            <dt>{words.errors}</dt>
            <dd>
              <ul class="plain">
                {operation.errors.map(({ code, status, meaning }) => (
                  <li key={code}>
                    {status} <code>{code}</code> {meaning}
                  </li>
                ))}
              </ul>
            </dd>
            <dt>{words.fields}</dt>
            <dd>
              <a href={`${roomAddress(`docs/reference/tools/${operation.domain}`)}#${name}`}>{words.allFields}</a>
            </dd>
          </dl>
          <TryIt key={name} operation={operation} />
          {operation.examples[0] && operation.isTool && (
            <CallSamples
              tool={name}
              method={operation.method}
              path={operation.path.replaceAll(/\{(\w+)\}/g, (_whole, part: string) =>
                encodeURIComponent(String(operation.examples[0]?.pathParameters[part] ?? '')),
              )}
              input={Object(operation.examples[0].body ?? {}) as object}
              toolInput={{ ...operation.examples[0].pathParameters, ...(Object(operation.examples[0].body ?? {}) as object) }}
            />
          )}
        </Page>
      )}
    </ShownPage>
  )
}
