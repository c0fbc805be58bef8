import { ErrorBoundary, LocationProvider, lazy, Route, Router, useLocation } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'

import { useAnswer } from './answers.ts'
import { askWho, holds, me, type Profile, type RoleName } from './me.ts'
import { roomAddress, tenant } from './page.ts'
import { Page } from './parts/basics.tsx'
import { SessionDialogs } from './parts/session-dialogs.tsx'
import { Lacks, ShownPage } from './parts/shown.tsx'
import { signOut } from './sign-out.ts'
import { goToTenant } from './tenant-change.ts'
import { rolesFor } from './room-roles.rules.ts'
import { texts } from './texts/index.ts'

const EntitiesPage = lazy(() => import('./records/entities-page.tsx').then((room) => room.EntitiesPage))
const ListPage = lazy(() => import('./records/list-page.tsx').then((room) => room.ListPage))
const RecordPage = lazy(() => import('./records/record-page.tsx').then((room) => room.RecordPage))
const EditPage = lazy(() => import('./records/edit-page.tsx').then((room) => room.EditPage))
const InboxPage = lazy(() => import('./inbox/inbox-page.tsx').then((room) => room.InboxPage))
const ConversationsPage = lazy(() => import('./inbox/conversations-page.tsx').then((room) => room.ConversationsPage))
const ConversationPage = lazy(() => import('./inbox/conversations-page.tsx').then((room) => room.ConversationPage))
const DocsPage = lazy(() => import('./docs/docs-page.tsx').then((room) => room.DocsPage))
const DocsReadPage = lazy(() => import('./docs/docs-page.tsx').then((room) => room.DocsReadPage))
const DefinePage = lazy(() => import('./define/define-page.tsx').then((room) => room.DefinePage))
const KindPage = lazy(() => import('./define/kind-page.tsx').then((room) => room.KindPage))
const ReferencePage = lazy(() => import('./reference/reference-page.tsx').then((room) => room.ReferencePage))
const OperationPage = lazy(() => import('./reference/reference-page.tsx').then((room) => room.OperationPage))
const ProfilePage = lazy(() => import('./account/profile-page.tsx').then((room) => room.ProfilePage))
const KeysPage = lazy(() => import('./keys/keys-page.tsx').then((room) => room.KeysPage))
const UsersPage = lazy(() => import('./users/users-page.tsx').then((room) => room.UsersPage))

interface Room {
  readonly path: string
  readonly title: string
  readonly hint: string
  /** A page of the server, which is loaded as a whole. */
  readonly isOfServer?: boolean
  /** One of them opens the room; none: everybody's. */
  readonly roles: readonly RoleName[]
  /** Where else one is in the room. */
  readonly also?: readonly string[]
}

const rooms: readonly Room[] = [
  {
    path: roomAddress('records'),
    title: texts.records.title,
    hint: texts.records.lead,
    roles: ['DataView', 'BuilderAdmin'],
    also: [roomAddress('define')],
  },
  { path: roomAddress('inbox'), title: texts.inbox.title, hint: texts.inbox.lead, roles: [], also: [roomAddress('conversations')] },
  { path: roomAddress('users'), title: texts.users.title, hint: texts.users.lead, roles: ['AdminUser'] },
  { path: '/ops/api-keys', title: texts.keys.title, hint: texts.keys.lead, roles: ['AdminIntegration'] },
  { path: '/ops/mail', title: texts.mails.title, hint: texts.mails.lead, roles: ['GlobalAdmin'], isOfServer: true },
  { path: roomAddress('docs'), title: texts.docs.title, hint: texts.docs.lead, roles: [], also: [roomAddress('reference')] },
  { path: '/profile', title: texts.profile.title, hint: texts.profile.lead, roles: [] },
]
const openRooms = () => rooms.filter(({ roles }) => roles.length === 0 || holds(...roles))

function Home() {
  return (
    <Page title={me.value?.caller.tenantName ?? ''}>
      <ul class="tiles">
        {openRooms().map(({ path, title, hint, isOfServer }) => (
          <li>
            <a href={path} target={isOfServer ? '_top' : undefined}>
              {title}
            </a>
            <p>{hint}</p>
          </li>
        ))}
      </ul>
    </Page>
  )
}

/** Another tenant is one choice away; what it shows is a page of its own, since everything on it is the tenant's. */
function TenantChoice({ profile }: { profile: Profile }) {
  const name = me.value?.caller.tenantName ?? tenant
  const others = profile.tenants.filter(({ subDomain }) => subDomain !== tenant)
  const menu = useRef<HTMLDetailsElement>(null)
  useEffect(() => {
    const close = ({ target }: Event) => {
      if (menu.current && !(target instanceof Node && menu.current.contains(target))) menu.current.open = false
    }
    const escape = ({ key }: KeyboardEvent) => {
      if (key !== 'Escape' || !menu.current?.open) return
      menu.current.open = false
      menu.current.querySelector('summary')?.focus()
    }
    document.addEventListener('keydown', escape)
    for (const kind of ['pointerdown', 'focusin']) document.addEventListener(kind, close)
    return () => {
      document.removeEventListener('keydown', escape)
      for (const kind of ['pointerdown', 'focusin']) document.removeEventListener(kind, close)
    }
  }, [])
  if (others.length === 0)
    return (
      <p class="tenant" title={name}>
        {name}
      </p>
    )
  return (
    <details class="menu" ref={menu}>
      <summary title={name}>
        <span class="hidden">{texts.tenant}: </span>
        {name}
      </summary>
      <ul>
        {others.map(({ tenantId, subDomain, name: other }) => (
          <li>
            <a
              href={`/t/${subDomain}/`}
              target="_top"
              onClick={(event) => {
                event.preventDefault()
                void goToTenant(tenantId, subDomain)
              }}
            >
              {other}
            </a>
          </li>
        ))}
      </ul>
    </details>
  )
}

/** On a phone the rooms are pushed along: the one that somebody is in is seen. Not by scrollIntoView, which takes the keyboard's place along. */
function centreCurrent(rail: Element): void {
  const own = rail.getBoundingClientRect()
  const current = rail.querySelector('[aria-current]')?.getBoundingClientRect()
  if (current) rail.scrollBy({ left: current.x + current.width / 2 - own.x - own.width / 2 })
}

function Frame({ profile }: { profile: Profile }) {
  const { path } = useLocation()
  const isHere = ({ path: own, also = [] }: Room) => [own, ...also].some((address) => path === address || path.startsWith(`${address}/`))
  const rail = useRef<HTMLElement>(null)
  useEffect(() => (rail.current ? centreCurrent(rail.current) : undefined), [path])
  const lacking = rolesFor(path).filter((role) => !holds(role))
  return (
    <>
      <a class="skip" href="#main">
        {texts.skip}
      </a>
      <header class="bar">
        <TenantChoice profile={profile} />
        <nav aria-label={texts.rooms} ref={rail}>
          <ul>
            <li>
              <a
                href={roomAddress()}
                aria-current={`${path}/` === roomAddress() || path === roomAddress() || path === '/' ? 'page' : undefined}
              >
                {texts.home}
              </a>
            </li>
            {openRooms().map((room) => (
              <li>
                <a href={room.path} target={room.isOfServer ? '_top' : undefined} aria-current={isHere(room) ? 'page' : undefined}>
                  {room.title}
                </a>
              </li>
            ))}
          </ul>
        </nav>
        <button type="button" class="quiet" onClick={() => void signOut()}>
          {texts.signOut}
        </button>
      </header>
      <ErrorBoundary onError={() => undefined}>
        {lacking.length > 0 && <Lacks roles={lacking} />}
        {lacking.length === 0 && (
          <Router>
            <Route path="/" component={Home} />
            <Route path="/t/:tenant" component={Home} />
            <Route path="/profile" component={ProfilePage} />
            <Route path="/ops/api-keys" component={KeysPage} />
            <Route path="/t/:tenant/records" component={EntitiesPage} />
            <Route path="/t/:tenant/records/:entity" component={ListPage} />
            <Route path="/t/:tenant/records/:entity/new" component={EditPage} />
            <Route path="/t/:tenant/records/:entity/:record" component={RecordPage} />
            <Route path="/t/:tenant/records/:entity/:record/edit" component={EditPage} />
            <Route path="/t/:tenant/inbox" component={InboxPage} />
            <Route path="/t/:tenant/conversations" component={ConversationsPage} />
            <Route path="/t/:tenant/conversations/:conversation" component={ConversationPage} />
            <Route path="/t/:tenant/docs" component={DocsPage} />
            <Route path="/t/:tenant/docs/:path+" component={DocsReadPage} />
            <Route path="/t/:tenant/define" component={DefinePage} />
            <Route path="/t/:tenant/define/:entity" component={KindPage} />
            <Route path="/t/:tenant/reference" component={ReferencePage} />
            <Route path="/t/:tenant/reference/:operation" component={OperationPage} />
            <Route path="/t/:tenant/users" component={UsersPage} />
            <Route default component={NotFound} />
          </Router>
        )}
      </ErrorBoundary>
    </>
  )
}

function NotFound() {
  return (
    <Page title={texts.notFound}>
      <p>
        <a href={roomAddress()}>{texts.home}</a>
      </p>
    </Page>
  )
}

/** A fault of ours is said, rather than a page that stands still. */
function useFault(): boolean {
  const [isFaulty, setFaulty] = useState(false)
  useEffect(() => {
    const note = () => setFaulty(true)
    addEventListener('error', note)
    addEventListener('unhandledrejection', note)
    return () => {
      removeEventListener('error', note)
      removeEventListener('unhandledrejection', note)
    }
  }, [])
  return isFaulty
}

export function App() {
  const { loaded, reload } = useAnswer(askWho)
  const isFaulty = useFault()
  return (
    <LocationProvider>
      {isFaulty && (
        <div class="note bad" role="alert">
          <p>{texts.fault}</p>
        </div>
      )}
      <ShownPage of={loaded} reload={reload}>
        {({ profile }) => <Frame profile={profile} />}
      </ShownPage>
      <SessionDialogs />
    </LocationProvider>
  )
}
