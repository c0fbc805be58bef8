import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import type { Profile } from '../me.ts'
import { Card, Confirm, Moment } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { signOut } from '../sign-out.ts'
import { texts } from '../texts/index.ts'

const words = texts.sessions

const listSessions = () => dataOf(api.POST('/api/v1/auth/sessions/list'))
const end = (sessionId: number) => dataOf(api.DELETE('/api/v1/auth/sessions/{sessionId}', { params: { path: { sessionId } } }))

/** The words of a browser's name that a person knows it by; the rest of it is for machines. */
function deviceOf(userAgent: string | null): string {
  if (userAgent === null) return words.unknownDevice
  const browser = /(Edg|OPR|Firefox|Chrome|Safari)[\w]*\/\d+/.exec(userAgent)?.[1]
  const names: Readonly<Record<string, string>> = { Edg: 'Edge', OPR: 'Opera' }
  const system = /(Windows|Android|iPhone|iPad|Mac OS X|Linux)/.exec(userAgent)?.[1]
  const found = [browser && (names[browser] ?? browser), system].filter(Boolean).join(', ')
  return found === '' ? userAgent.slice(0, 60) : found
}

export function SessionsCard({ profile }: { profile: Profile }) {
  const { loaded, reload } = useAnswer(listSessions)
  const act = useAct()
  const everywhere = useAct()
  const [isAsking, setAsking] = useState(false)
  const tenantOf = (tenantId: number) => profile.tenants.find((one) => one.tenantId === tenantId)?.name ?? ''

  /** This one last: it is the one that ends the others. They are asked for anew, since one may have begun since the page was opened. */
  async function endAll() {
    const others = (await listSessions()).filter(({ isCurrent }) => !isCurrent)
    for (const { sessionId } of others) await end(sessionId)
    await signOut()
  }

  return (
    <Card title={words.title}>
      <p class="muted">{words.lead}</p>
      <Shown of={loaded} reload={reload}>
        {(sessions) => (
          <ul class="entries">
            {sessions.map(({ sessionId, tenantId, createdDate, lastUsedDate, address, userAgent, isCurrent }) => (
              <li>
                <div>
                  <strong>{deviceOf(userAgent)}</strong> {isCurrent && <span class="mark">{words.thisOne}</span>}
                  <p class="muted">
                    {[tenantOf(tenantId), address].filter(Boolean).join(' · ')} · {words.since} <Moment at={createdDate} /> ·{' '}
                    {texts.lastUsed}: <Moment at={lastUsedDate} />
                  </p>
                </div>
                {!isCurrent && (
                  <div class="acts">
                    <button
                      type="button"
                      aria-label={`${words.end}: ${deviceOf(userAgent)}`}
                      onClick={() => void act.run(() => end(sessionId)).then((isDone) => (isDone ? reload() : undefined))}
                    >
                      {words.end}
                    </button>
                  </div>
                )}
              </li>
            ))}
          </ul>
        )}
      </Shown>
      <TroubleNote trouble={act.trouble} />
      <p class="acts">
        <button type="button" onClick={() => setAsking(true)}>
          {words.endAll}
        </button>
      </p>
      {isAsking && (
        <Confirm
          title={words.endAll}
          text={words.endAllHint}
          label={words.endAll}
          act={everywhere}
          onDo={endAll}
          onClose={() => setAsking(false)}
        />
      )}
    </Card>
  )
}
