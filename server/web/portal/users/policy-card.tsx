/** What the tenant asks of those who sign in, and whom it would ask for a second factor that they do not have. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { answerOf, api, dataOf } from '../client.ts'
import { me } from '../me.ts'
import { ActForm, Card, Choice } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'
import type { User } from './users-page.tsx'

const words = texts.policy

const pathOf = () => ({ tenantId: me.value?.caller.tenantId ?? 0 })
const readPolicy = () => dataOf(api.POST('/api/v1/tenants/{tenantId}/sign-in-policy', { params: { path: pathOf() } }))
type Policy = Awaited<ReturnType<typeof readPolicy>>
type Asks = Policy['secondFactor']
const choices = ['optional', 'administrators', 'all'] as const satisfies readonly Asks[]

/** As set_sign_in_policy says who administrators are. */
const isAdministrator = ({ roles }: User) =>
  roles.some((role) => role === 'BuilderAdmin' || role === 'GlobalAdmin' || role.startsWith('Admin'))
const mostPages = 20
const mostNamed = 30

/** Everybody who signs in without a second factor; of more than twenty thousand the first. */
async function listLacking(): Promise<readonly User[]> {
  const found: User[] = []
  let cursor: string | undefined
  for (let page = 0; page < mostPages; page++) {
    const body = { pageSize: 1_000, status: 'active' as const, hasSecondFactor: false, ...(cursor === undefined ? {} : { cursor }) }
    const { data, headers } = await answerOf(api.POST('/api/v1/tenants/users/list', { body }))
    found.push(...data)
    cursor = headers.get('x-next-cursor') ?? undefined
    if (cursor === undefined) break
  }
  return found
}

function Lacking({ asks }: { asks: Asks }) {
  const { loaded, reload } = useAnswer(listLacking)
  if (asks === 'optional') return null
  return (
    <Shown of={loaded} reload={reload}>
      {(users) => {
        const lacking = asks === 'all' ? users : users.filter(isAdministrator)
        return (
          <div class="note" role="status">
            <p>{words.lacking(lacking.length)}</p>
            <ul>
              {lacking.slice(0, mostNamed).map(({ tenantUserId, displayName }) => (
                <li key={tenantUserId}>{displayName}</li>
              ))}
            </ul>
            {lacking.length > mostNamed && <p>{words.andMore(lacking.length - mostNamed)}</p>}
          </div>
        )
      }}
    </Shown>
  )
}

function PolicyForm({ policy }: { policy: Policy }) {
  const act = useAct()
  const [asks, setAsks] = useState<Asks>(policy.secondFactor)
  // What this page does not ask about stays as it is.
  const save = () =>
    dataOf(
      api.PUT('/api/v1/tenants/{tenantId}/sign-in-policy', {
        params: { path: pathOf() },
        body: { secondFactor: asks, factors: policy.factors, apps: policy.apps },
      }),
    )
  return (
    <ActForm act={act} label={texts.save} onSend={save} done={texts.saved}>
      <Choice
        label={words.asks}
        hint={words.hint}
        value={asks}
        onValue={(value) => setAsks(choices.find((one) => one === value) ?? 'optional')}
        options={choices.map((one) => ({ value: one, label: words.choices[one] }))}
      />
      <Lacking asks={asks} />
    </ActForm>
  )
}

export function PolicyCard() {
  const { loaded, reload } = useAnswer(readPolicy)
  return (
    <Card title={words.title}>
      <Shown of={loaded} reload={reload}>
        {(policy) => <PolicyForm policy={policy} />}
      </Shown>
    </Card>
  )
}
