/** Finds a record to link: the latest ones at first, then what a search finds. */
import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { Dialog } from '../parts/basics.tsx'
import { SearchForm, useSearch } from '../parts/search-form.tsx'
import { Shown } from '../parts/shown.tsx'
import { TroubleNote } from '../parts/trouble.tsx'
import { texts } from '../texts/index.ts'
import type { Kind } from './kinds.ts'
import { titleIn, titleOf } from './values.tsx'

const words = texts.records
const pageSize = 20

interface Found {
  readonly eiRecordId: number
  readonly title: string
  readonly excerpt: string
}

async function find(kind: Kind, query: string): Promise<readonly Found[]> {
  const { entity } = kind
  if (query === '') {
    const body = { pageSize, withDataJson: false, sort: [{ property: 'modifiedDate', direction: 'desc' as const }] }
    const rows = await dataOf(api.POST('/api/v1/entities/{entity}/instances/list', { params: { path: { entity } }, body }))
    return rows.map((row) => ({ eiRecordId: row.eiRecordId, title: titleIn(kind, row), excerpt: '' }))
  }
  const { hits } = await dataOf(api.POST('/api/v1/instances/search', { body: { query, entities: [entity], pageSize } }))
  return hits.map(({ eiRecordId, externalKey, title, excerpt }) => ({
    eiRecordId,
    title: title === '' ? titleOf({ eiRecordId, externalKey }) : title,
    excerpt,
  }))
}

export function LinkDialog({
  peer,
  linked,
  onLink,
  onClose,
}: {
  peer: Kind
  linked: readonly number[]
  onLink: (eiRecordId: number) => Promise<unknown>
  onClose: () => void
}) {
  const act = useAct()
  const search = useSearch()
  const { loaded, reload } = useAnswer(() => find(peer, search.query), search.key)
  return (
    <Dialog title={words.link(peer.label)} onClose={onClose}>
      <SearchForm label={words.searchIn(peer.label)} search={search} />
      <TroubleNote trouble={act.trouble} />
      <Shown of={loaded} reload={reload}>
        {(found) =>
          found.length === 0 ? (
            <p role="status">{words.noHits}</p>
          ) : (
            <ul class="entries">
              {found.map(({ eiRecordId, title, excerpt }) => (
                <li key={eiRecordId}>
                  <div>
                    {title}
                    {excerpt !== '' && excerpt !== title && <p class="muted">{excerpt}</p>}
                  </div>
                  {linked.includes(eiRecordId) ? (
                    <span class="done" role="status">
                      {words.linked}
                    </span>
                  ) : (
                    <div class="acts">
                      <button
                        type="button"
                        aria-label={words.linkOf(title)}
                        aria-disabled={act.isBusy}
                        onClick={() => void act.run(() => onLink(eiRecordId))}
                      >
                        {words.linkIt}
                      </button>
                    </div>
                  )}
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
    </Dialog>
  )
}
