/** What was recognised in a file of a record, as soon as it is. */
import { useEffect, useState } from 'preact/hooks'

import { Shown } from '../parts/shown.tsx'
import { useAnswer } from '../answers.ts'
import { api, dataOf, inBackground } from '../client.ts'
import { texts } from '../texts/index.ts'
import { number } from '../times.ts'

const words = texts.records
const everyMs = 2_000
/** After two minutes the page waits no longer; loaded again, it does. */
const mostTurns = 60

const askAnalysis = (assetKey: string) =>
  dataOf(api.POST('/api/v1/assets/{assetKey}/analysis', { params: { path: { assetKey } }, body: {}, headers: inBackground }))

export function Recognised({ assetKey }: { assetKey: string }) {
  const { loaded, reload } = useAnswer(() => askAnalysis(assetKey), assetKey)
  const [turn, setTurn] = useState(0)
  const isUnderWay = loaded.state === 'there' && (loaded.value.state === 'queued' || loaded.value.state === 'running')
  useEffect(() => {
    if (!isUnderWay || turn >= mostTurns) return undefined
    const timer = setTimeout(() => void reload().then(() => setTurn(turn + 1)), everyMs)
    return () => clearTimeout(timer)
  }, [isUnderWay, turn])
  // A file that was saved before anything was to be recognised has none of it.
  if (loaded.state === 'failed' && loaded.trouble.code === 'not_found') return null
  return (
    <Shown of={loaded} reload={reload}>
      {({ state, ocr, labels = [], reason }) => (
        <div class="recognised" role="status">
          {isUnderWay && <p class="muted">{words.recognising}</p>}
          {(state === 'failed' || state === 'skipped') && <p class="muted">{reason ?? words.notRecognised}</p>}
          {ocr && ocr.text.trim() !== '' && (
            <p>
              <span class="muted">{words.readText}</span> <span class="said">{ocr.text.trim()}</span>
            </p>
          )}
          {labels.length > 0 && (
            <p>
              <span class="muted">{words.shows}</span>{' '}
              {labels.map(({ label, score }) => `${label} (${number(Math.round(score * 100))} %)`).join(', ')}
            </p>
          )}
          {state === 'done' && !ocr?.text.trim() && labels.length === 0 && <p class="muted">{words.nothingRecognised}</p>}
        </div>
      )}
    </Shown>
  )
}
