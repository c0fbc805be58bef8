/** The files of a record: links that the session opens, by the names that they came with. */
import { Shown } from '../parts/shown.tsx'
import { useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { texts } from '../texts/index.ts'
import type { Value } from './kinds.ts'
import { Recognised } from './recognised.tsx'
import { fileAddress } from './values.tsx'

/** Asked for by name; more of them are links without. */
const mostNamed = 20

export function keysOf(value: Value): readonly string[] {
  if (value === null) return []
  // Array.isArray does not tell a readonly array from the rest.
  return (Array.isArray(value) ? (value as readonly unknown[]) : [value]).map(String)
}

const askFile = (assetKey: string) => dataOf(api.POST('/api/v1/assets/{assetKey}', { params: { path: { assetKey } } }))

export function FileLink({ assetKey }: { assetKey: string }) {
  const { loaded, reload } = useAnswer(() => askFile(assetKey), assetKey)
  return (
    <Shown of={loaded} reload={reload}>
      {({ originalFileName, mimeType }) => (
        <>
          <a href={fileAddress(assetKey)} download={originalFileName} target="_blank" rel="noopener">
            {originalFileName}
          </a>
          {/^image\/(?:png|jpeg|webp|gif)$/.test(mimeType) && <img class="preview" src={fileAddress(assetKey)} alt="" loading="lazy" />}
        </>
      )}
    </Shown>
  )
}

export function FileLinks({ value, isAnalysed = false }: { value: Value; isAnalysed?: boolean }) {
  const keys = keysOf(value)
  if (keys.length === 0) return <span class="muted">–</span>
  return (
    <ul class="plain">
      {keys.map((assetKey, at) => (
        <li key={assetKey}>
          {at < mostNamed ? (
            <>
              <FileLink assetKey={assetKey} />
              {isAnalysed && <Recognised assetKey={assetKey} />}
            </>
          ) : (
            <a href={fileAddress(assetKey)} target="_blank" rel="noopener">
              {texts.records.file(at + 1)}
            </a>
          )}
        </li>
      ))}
    </ul>
  )
}
