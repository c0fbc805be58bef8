import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import type { Profile } from '../me.ts'
import { Card, Confirm, Moment } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'

const words = texts.apps

const listApps = () => dataOf(api.POST('/api/v1/auth/apps/list'))
type App = Awaited<ReturnType<typeof listApps>>[number]

function EndDialog({ app, onClose }: { app: App; onClose: () => void }) {
  const act = useAct()
  return (
    <Confirm
      title={words.endTitle(app.name)}
      text={words.endHint}
      label={words.end}
      act={act}
      onClose={onClose}
      onDo={() => dataOf(api.DELETE('/api/v1/auth/apps/{appId}', { params: { path: { appId: app.appId } } }))}
    />
  )
}

/** What the person let in by OAuth, in all tenants. */
export function AppsCard({ profile }: { profile: Profile }) {
  const { loaded, reload } = useAnswer(listApps)
  const [ending, setEnding] = useState<App>()
  const tenantOf = (tenantId: number) => profile.tenants.find((one) => one.tenantId === tenantId)?.name ?? ''
  return (
    <Card title={words.title}>
      <p class="muted">{words.lead}</p>
      <Shown of={loaded} reload={reload}>
        {(apps) =>
          apps.length === 0 ? (
            <p>{words.none}</p>
          ) : (
            <ul class="entries">
              {apps.map((app) => (
                <li key={app.appId}>
                  <div>
                    <strong>{app.name}</strong> {words.through(app.clientHost ?? app.redirectHost)}
                    <p class="muted">
                      {[tenantOf(app.tenantId), app.roles.map((role) => texts.roles[role].name).join(', ')]
                        .filter(Boolean)
                        .join(' · ')} ·{' '}
                      {texts.lastUsed}: <Moment at={app.lastUsedDate} none={texts.never} />
                    </p>
                  </div>
                  <button type="button" aria-label={`${words.end}: ${app.name}`} onClick={() => setEnding(app)}>
                    {words.end}
                  </button>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      {ending && (
        <EndDialog
          app={ending}
          onClose={() => {
            setEnding(undefined)
            void reload()
          }}
        />
      )}
    </Card>
  )
}
