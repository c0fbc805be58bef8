/** The people of the tenant: who they are, who is invited, who lacks a second factor, and what they may do. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { answerOf, api, dataOf } from '../client.ts'
import { me } from '../me.ts'
import { Choice, Line, Moment, Page } from '../parts/basics.tsx'
import { More } from '../parts/more.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { useSearch } from '../parts/search-form.tsx'
import { Shown } from '../parts/shown.tsx'
import { Table } from '../parts/table.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { texts } from '../texts/index.ts'
import { InvitationActs } from './invitation-acts.tsx'
import { NewUserDialog } from './new-user-dialog.tsx'
import { PolicyCard } from './policy-card.tsx'
import { ProviderCard } from './provider-card.tsx'
import { RolesDialog } from './roles-dialog.tsx'

const words = texts.users

/** What each of them asks the API for. */
const filters = {
  all: {},
  invited: { status: 'invited' },
  locked: { status: 'locked' },
  noFactor: { status: 'active', hasSecondFactor: false },
} as const
type Filter = keyof typeof filters
const filterNames = Object.keys(filters) as Filter[]

interface Question {
  readonly search: string
  readonly filter: Filter
  readonly cursor?: string | undefined
}

const bodyOf = ({ search, filter, cursor }: Question) => ({
  pageSize: 100,
  ...filters[filter],
  ...(search === '' ? {} : { search }),
  ...(cursor === undefined ? {} : { cursor }),
})

async function listUsers(question: Question) {
  const { data, headers } = await answerOf(api.POST('/api/v1/tenants/users/list', { body: bodyOf(question) }))
  return { users: data, next: headers.get('x-next-cursor') }
}
export type User = Awaited<ReturnType<typeof listUsers>>['users'][number]

function State({ user }: { user: User }) {
  if (user.isLocked) return <span class="mark bad">{words.states.locked}</span>
  if (user.status === 'invited') return <span class="mark wait">{words.states.invited}</span>
  return <span class="mark good">{words.states.active}</span>
}

function LockButton({ user, onDone }: { user: User; onDone: () => unknown }) {
  const act = useAct()
  const params = { path: { tenantUserId: user.tenantUserId } }
  const [label, turn] = user.isLocked
    ? [words.unlock, () => dataOf(api.POST('/api/v1/tenants/users/{tenantUserId}/unlock', { params }))]
    : [words.lock, () => dataOf(api.POST('/api/v1/tenants/users/{tenantUserId}/lock', { params }))]
  return (
    <>
      <button
        type="button"
        aria-label={`${label}: ${user.displayName}`}
        aria-disabled={act.isBusy}
        onClick={() => void act.run(turn).then((isDone) => (isDone ? onDone() : undefined))}
      >
        {label}
      </button>
      <TroubleNote trouble={act.trouble} />
    </>
  )
}

type Open = { readonly kind: 'new' } | { readonly kind: 'roles'; readonly user: User }

export function UsersPage() {
  const [typed, setTyped] = useState('')
  const sent = useSearch()
  const search = sent.query
  const [filter, setFilter] = useState<Filter>('all')
  const { loaded, reload, set } = useAnswer(() => listUsers({ search, filter }), `${filter} ${sent.key}`)
  const [open, setOpen] = useState<Open>()
  function close() {
    setOpen(undefined)
    void reload()
  }
  const own = me.value?.caller.tenantUserId
  return (
    <Page title={words.title} lead={words.lead} wide>
      <form
        class="bar-of-list"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          sent.send(typed)
        }}
      >
        <Line label={words.search} type="search" value={typed} onValue={setTyped} maxLength={200} />
        <Choice
          label={words.show}
          value={filter}
          onValue={(value) => setFilter(filterNames.find((one) => one === value) ?? 'all')}
          options={filterNames.map((one) => ({ value: one, label: words.filters[one] }))}
        />
        <button>{texts.search}</button>
        <button type="button" class="main" onClick={() => setOpen({ kind: 'new' })}>
          {words.create}
        </button>
      </form>
      <Shown of={loaded} reload={reload}>
        {({ users, next }) => (
          <>
            <Table
              label={words.title}
              none={words.none}
              rows={users}
              keyOf={({ tenantUserId }) => tenantUserId}
              columns={[
                {
                  title: words.name,
                  of: ({ displayName, email, phone, userName }) => [
                    <strong>{displayName}</strong>,
                    <br />,
                    <span class="muted">{email ?? phone ?? userName}</span>,
                  ],
                },
                { title: words.state, of: (user) => <State user={user} /> },
                {
                  title: words.roles,
                  of: ({ roles }) => (roles.length === 0 ? texts.none : roles.map((role) => texts.roles[role].name).join(', ')),
                },
                {
                  title: words.factor,
                  of: ({ hasSecondFactor }) => (hasSecondFactor ? texts.yes : <span class="mark wait">{texts.no}</span>),
                },
                { title: words.lastSignIn, of: ({ lastSignInDate }) => <Moment at={lastSignInDate} none={texts.never} /> },
                {
                  title: texts.actions,
                  of: (user) => (
                    <span class="acts">
                      <button
                        type="button"
                        aria-label={`${words.roles}: ${user.displayName}`}
                        onClick={() => setOpen({ kind: 'roles', user })}
                      >
                        {words.roles}
                      </button>
                      {user.status === 'invited' && !user.isLocked && <InvitationActs user={user} />}
                      {user.tenantUserId !== own && <LockButton user={user} onDone={reload} />}
                    </span>
                  ),
                },
              ]}
            />
            <More
              next={next}
              load={async (cursor) => {
                const following = await listUsers({ search, filter, cursor })
                set({ users: [...users, ...following.users], next: following.next })
              }}
            />
          </>
        )}
      </Shown>
      <PolicyCard />
      <ProviderCard />
      <CallSamples tool="list_users" method="POST" path="/api/v1/tenants/users/list" input={bodyOf({ search, filter })} />
      {open?.kind === 'new' && <NewUserDialog onClose={close} />}
      {open?.kind === 'roles' && <RolesDialog user={open.user} onClose={close} />}
    </Page>
  )
}
