/** Every kind of record of the tenant, and the search through all of them. */
import { useState } from 'preact/hooks'

import { useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { holds } from '../me.ts'
import { roomAddress } from '../page.ts'
import { Page, Shown } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { SearchForm } from '../parts/search-form.tsx'
import { texts } from '../texts/index.ts'
import { entityAddress, recordAddress, titleOf } from './values.tsx'

const words = texts.records

const listEntities = () => dataOf(api.POST('/api/v1/entities/list', { body: {} }))
const search = (query: string) => dataOf(api.POST('/api/v1/instances/search', { body: { query, pageSize: 20 } }))

function Hits({ query }: { query: string }) {
  const { loaded, reload } = useAnswer(() => search(query), query)
  return (
    <Shown of={loaded} reload={reload}>
      {({ hits }) =>
        hits.length === 0 ? (
          <p class="card" role="status">
            {words.noHits}
          </p>
        ) : (
          <ul class="entries card">
            {hits.map(({ entity, eiRecordId, externalKey, title, excerpt }) => (
              <li>
                <div>
                  <a href={recordAddress(entity, eiRecordId)}>{title === '' ? titleOf({ eiRecordId, externalKey }) : title}</a>{' '}
                  <span class="mark">{entity}</span>
                  <p class="muted">{excerpt}</p>
                </div>
              </li>
            ))}
          </ul>
        )
      }
    </Shown>
  )
}

export function EntitiesPage() {
  const { loaded, reload } = useAnswer(listEntities)
  const [query, setQuery] = useState('')
  return (
    <Page title={words.title} lead={words.lead} wide>
      {holds('BuilderAdmin') && (
        <p class="acts">
          <a class="button" href={roomAddress('define')}>
            {words.define}
          </a>
        </p>
      )}
      <SearchForm label={words.searchAll} onSearch={setQuery} />
      {query !== '' && <Hits query={query} />}
      <Shown of={loaded} reload={reload}>
        {(entities) =>
          entities.length === 0 ? (
            <p class="card">{words.noEntities}</p>
          ) : (
            <ul class="tiles">
              {entities.map(({ internalName, name, description }) => (
                <li>
                  <a href={entityAddress(internalName)}>{name}</a>
                  <p class="muted">{description}</p>
                </li>
              ))}
            </ul>
          )
        }
      </Shown>
      <CallSamples tool="list_entities" method="POST" path="/api/v1/entities/list" input={{}} />
    </Page>
  )
}
