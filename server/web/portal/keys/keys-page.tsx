/** The tenant's API keys: made with the fewest roles that do, shown once, rotated, ended. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { answerOf, api, dataOf, once } from '../client.ts'
import { Confirm, Dialog, Moment, Page, ShownOnce } from '../parts/basics.tsx'
import { More } from '../parts/more.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown } from '../parts/shown.tsx'
import { Table } from '../parts/table.tsx'
import { texts } from '../texts/index.ts'
import { date } from '../times.ts'
import { KeyDialog } from './key-dialog.tsx'
import { RotateDialog } from './rotate-dialog.tsx'

const words = texts.keys

async function listKeys(cursor?: string) {
  const body = { pageSize: 100, ...(cursor === undefined ? {} : { cursor }) }
  const { data, headers } = await answerOf(api.POST('/api/v1/api-keys/list', { body }))
  return { keys: data, next: headers.get('x-next-cursor') }
}
export type ApiKey = Awaited<ReturnType<typeof listKeys>>['keys'][number]

type Open =
  | { readonly kind: 'new' }
  | { readonly kind: 'edit' | 'rotate' | 'revoke'; readonly key: ApiKey }
  | { readonly kind: 'secret'; readonly name: string; readonly secret: string }

/** Of one that ends within two weeks or has ended. */
function Expiry({ at }: { at: string | null }) {
  if (at === null) return <span class="muted">{texts.never}</span>
  const days = (Date.parse(at) - Date.now()) / 86_400_000
  if (days < 0) return <span class="mark bad">{words.expired(date(at))}</span>
  return days < 14 ? <span class="mark wait">{words.soon(date(at))}</span> : <>{date(at)}</>
}

function RevokeDialog({ apiKey, onClose }: { apiKey: ApiKey; onClose: () => void }) {
  const act = useAct()
  const path = { apiKeyId: apiKey.apiKeyId }
  return (
    <Confirm
      title={words.revokeTitle(apiKey.name)}
      text={words.revokeHint}
      label={words.revoke}
      act={act}
      onClose={onClose}
      onDo={() => dataOf(api.DELETE('/api/v1/api-keys/{apiKeyId}', { params: { path }, headers: once() }))}
    />
  )
}

export function KeysPage() {
  const { loaded, reload, set } = useAnswer(() => listKeys())
  const [open, setOpen] = useState<Open>()
  function close() {
    setOpen(undefined)
    void reload()
  }
  const show = (made: { name: string; apiKey: string }) => {
    setOpen({ kind: 'secret', name: made.name, secret: made.apiKey })
    void reload()
  }
  return (
    <Page title={words.title} lead={words.lead} wide>
      <p class="acts">
        <button type="button" class="main" onClick={() => setOpen({ kind: 'new' })}>
          {words.create}
        </button>
      </p>
      <Shown of={loaded} reload={reload}>
        {({ keys, next }) => (
          <>
            <Table
              label={words.title}
              none={words.none}
              rows={keys}
              keyOf={({ apiKeyId }) => apiKeyId}
              columns={[
                { title: words.name, of: ({ name, prefix }) => [<strong>{name}</strong>, <br />, <code>{prefix}…</code>] },
                { title: words.roles, of: ({ roles }) => roles.map((role) => texts.roles[role].name).join(', ') },
                { title: texts.lastUsed, of: ({ lastUsedDate }) => <Moment at={lastUsedDate} none={texts.never} /> },
                { title: words.expires, of: ({ expiresAt }) => <Expiry at={expiresAt} /> },
                {
                  title: texts.actions,
                  of: (key) => (
                    <span class="acts">
                      <button type="button" aria-label={`${texts.change}: ${key.name}`} onClick={() => setOpen({ kind: 'edit', key })}>
                        {texts.change}
                      </button>
                      <button type="button" aria-label={`${words.rotate}: ${key.name}`} onClick={() => setOpen({ kind: 'rotate', key })}>
                        {words.rotate}
                      </button>
                      <button type="button" aria-label={`${words.revoke}: ${key.name}`} onClick={() => setOpen({ kind: 'revoke', key })}>
                        {words.revoke}
                      </button>
                    </span>
                  ),
                },
              ]}
            />
            <More
              next={next}
              load={async (cursor) => {
                const following = await listKeys(cursor)
                set({ keys: [...keys, ...following.keys], next: following.next })
              }}
            />
          </>
        )}
      </Shown>
      <CallSamples tool="list_api_keys" method="POST" path="/api/v1/api-keys/list" input={{ pageSize: 100 }} />
      {open?.kind === 'new' && <KeyDialog onClose={close} onMade={show} />}
      {open?.kind === 'edit' && <KeyDialog apiKey={open.key} onClose={close} onMade={show} />}
      {open?.kind === 'rotate' && <RotateDialog apiKey={open.key} onClose={close} onMade={show} />}
      {open?.kind === 'revoke' && <RevokeDialog apiKey={open.key} onClose={close} />}
      {open?.kind === 'secret' && (
        <Dialog title={open.name} onClose={close}>
          <ShownOnce label={words.secret} hint={words.secretHint} secret={open.secret} />
          <p class="acts">
            <button type="button" class="main" onClick={close}>
              {words.kept}
            </button>
          </p>
        </Dialog>
      )}
    </Page>
  )
}
