/** Every kind of record of the tenant, and the search through all of them. */
import { useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { holds } from '../me.ts'
import { roomAddress } from '../page.ts'
import { Page } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { type Search, SearchForm, useSearch } from '../parts/search-form.tsx'
import { Shown } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'
import { entityAddress, recordAddress, titleOf } from './values.tsx'

const words = texts.records

const listEntities = () => dataOf(api.POST('/api/v1/entities/list', { body: {} }))
const bodyOf = ({ query }: Search) => ({ query, pageSize: 20 })

function Hits({ search }: { search: Search }) {
  const { loaded, reload } = useAnswer(() => dataOf(api.POST('/api/v1/instances/search', { body: bodyOf(search) })), search.key)
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
  const search = useSearch()
  return (
    <Page title={words.title} lead={words.lead} wide>
      {holds('BuilderAdmin') && (
        <p class="acts">
          <a class="button" href={roomAddress('define')}>
            {words.define}
          </a>
        </p>
      )}
      {holds('DataView') && <SearchForm label={words.searchAll} search={search} />}
      {search.query !== '' && (
        <>
          <Hits search={search} />
          <CallSamples tool="search_instances" method="POST" path="/api/v1/instances/search" input={bodyOf(search)} />
        </>
      )}
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
