import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { ActForm, Choice, Dialog } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'
import type { ApiKey } from './keys-page.tsx'

const words = texts.keys
const graces = [0, 3_600, 86_400, 604_800] as const

/** A new secret for the key; the old one stays valid for a while, so that what uses it can be changed in peace. */
export function RotateDialog({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey: ApiKey
  onClose: () => void
  onMade: (made: { name: string; apiKey: string }) => void
}) {
  const act = useAct()
  const [grace, setGrace] = useState('86400')
  async function rotate() {
    const params = { path: { apiKeyId: apiKey.apiKeyId } }
    onMade(await dataOf(api.POST('/api/v1/api-keys/{apiKeyId}/rotate', { params, body: { graceSeconds: Number(grace) }, headers: once() })))
  }
  return (
    <Dialog title={words.rotateTitle(apiKey.name)} onClose={onClose}>
      <ActForm act={act} label={words.rotate} onSend={rotate} cancel={onClose}>
        <Choice
          label={words.grace}
          value={grace}
          onValue={setGrace}
          options={graces.map((seconds) => ({ value: String(seconds), label: words.graces[seconds] }))}
        />
      </ActForm>
    </Dialog>
  )
}
