/** The documentation: searched as agents search it, and read where one works. */
import { useLocation, useRoute } from 'preact-iso'
import { useEffect, useRef, useState } from 'preact/hooks'

import { useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { roomAddress } from '../page.ts'
import { Line, Page } from '../parts/basics.tsx'
import { CallSamples } from '../parts/samples.tsx'
import { Shown, ShownPage } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'
import { addressOfPage, linkFrom } from './links.rules.ts'

const words = texts.docs

const bodyOf = (query: string) => ({ query, limit: 12 })
const search = (query: string) => dataOf(api.POST('/api/v1/docs/search', { body: bodyOf(query) }))
const listPages = () => dataOf(api.POST('/api/v1/docs/index'))
const readPage = (path: string) => dataOf(api.POST('/api/v1/docs/read', { body: { path } }))
type Text = Awaited<ReturnType<typeof readPage>>

/** `time`: which time it was sent; the same words once more are asked anew. */
function Hits({ query, time }: { query: string; time: number }) {
  const { loaded, reload } = useAnswer(() => search(query), `${time} ${query}`)
  return (
    <Shown of={loaded} reload={reload}>
      {({ hits, hint }) => (
        <>
          {hint !== undefined && <p class="note">{hint}</p>}
          <ul class="entries card" aria-label={words.hits}>
            {hits.map(({ path, title, anchor, excerpt }) => (
              <li>
                <div>
                  <a href={`${roomAddress(addressOfPage(path))}#${anchor}`}>{title}</a>
                  <p class="muted">{excerpt}</p>
                </div>
              </li>
            ))}
          </ul>
        </>
      )}
    </Shown>
  )
}

export function DocsPage() {
  const { query, route } = useLocation()
  const asked = query['q'] ?? ''
  const [typed, setTyped] = useState(asked)
  const [time, setTime] = useState(0)
  const { loaded, reload } = useAnswer(listPages)
  return (
    <Page title={words.title} lead={words.lead}>
      <form
        class="bar-of-list"
        role="search"
        onSubmit={(event) => {
          event.preventDefault()
          setTime(time + 1)
          route(`${roomAddress('docs')}?q=${encodeURIComponent(typed.trim())}`)
        }}
      >
        <Line label={words.search} type="search" value={typed} onValue={setTyped} maxLength={500} required />
        <button class="main">{texts.search}</button>
      </form>
      {asked !== '' && <Hits query={asked} time={time} />}
      <p>
        <a class="button" href={roomAddress('reference')}>
          {texts.reference.title}
        </a>
      </p>
      <Shown of={loaded} reload={reload}>
        {({ pages }) => (
          <ul class="entries card" aria-label={words.pages}>
            {pages.map(({ path, title, summary }) => (
              <li>
                <div>
                  <a href={roomAddress(addressOfPage(path))}>{title}</a>
                  <p class="muted">{summary}</p>
                </div>
              </li>
            ))}
          </ul>
        )}
      </Shown>
      {asked === '' ? (
        <CallSamples tool="docs_index" method="POST" path="/api/v1/docs/index" input={{}} />
      ) : (
        <CallSamples tool="docs_search" method="POST" path="/api/v1/docs/search" input={bodyOf(asked)} />
      )}
    </Page>
  )
}

/** Markdown of ours as a browser shows it. HTML in it stays text, so that a page can bring in nothing. */
async function rendered({ path, markdown, sections }: Text): Promise<DocumentFragment> {
  const { default: MarkdownIt } = await import('markdown-it')
  const parsed = new DOMParser().parseFromString(new MarkdownIt({ html: false, linkify: false }).render(markdown), 'text/html')
  for (const link of parsed.querySelectorAll('a')) link.setAttribute('href', linkFrom(path, link.getAttribute('href') ?? '', roomAddress()))
  const left = [...sections]
  for (const heading of parsed.querySelectorAll('h1, h2, h3, h4')) {
    const at = left.findIndex(({ title }) => title === heading.textContent)
    const [section] = at === -1 ? [] : left.splice(at, 1)
    if (section) heading.id = section.anchor
  }
  for (const wide of parsed.querySelectorAll('table, pre')) {
    const frame = parsed.createElement('div')
    frame.className = 'table'
    frame.tabIndex = 0
    wide.replaceWith(frame)
    frame.append(wide)
  }
  parsed.querySelector('h1')?.remove()
  const fragment = document.createDocumentFragment()
  fragment.append(...parsed.body.childNodes)
  return fragment
}

function Markdown({ text }: { text: Text }) {
  const host = useRef<HTMLDivElement>(null)
  const [isThere, setThere] = useState(false)
  useEffect(() => {
    void rendered(text).then((fragment) => {
      host.current?.replaceChildren(fragment)
      setThere(true)
      document.getElementById(decodeURIComponent(location.hash.slice(1)))?.scrollIntoView()
    })
  }, [text])
  return <div class="prose" ref={host} aria-busy={!isThere} />
}

export function DocsReadPage() {
  const path = `${useRoute().params['path'] ?? ''}.md`
  const { loaded, reload } = useAnswer(() => readPage(path), path)
  return (
    <ShownPage of={loaded} reload={reload}>
      {(text) => (
        <Page title={text.title}>
          <p>
            <a href={roomAddress('docs')}>{words.title}</a>
          </p>
          <Markdown text={text} />
        </Page>
      )}
    </ShownPage>
  )
}
