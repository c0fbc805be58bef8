/** Codes by e-mail or SMS as a second factor: where they go, and the first of them. */
import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { ActForm, Choice, Dialog, Line } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'

const words = texts.factors

export function CodeFactorDialog({ onDone, onClose }: { onDone: (codes: readonly string[]) => void; onClose: () => void }) {
  const act = useAct()
  const [channel, setChannel] = useState<'email' | 'sms'>('email')
  const [value, setValue] = useState('')
  const [sent, setSent] = useState<{ readonly factorId: number; readonly sentTo: string }>()
  const [code, setCode] = useState('')
  async function send() {
    setSent(await dataOf(api.POST('/api/v1/auth/code-factors/enroll', { body: { channel, value: value.trim() }, headers: once() })))
  }
  async function confirm() {
    const body = { factorId: sent?.factorId ?? 0, code: code.replaceAll(/\s/g, '') }
    const { recoveryCodes } = await dataOf(api.POST('/api/v1/auth/code-factors/confirm', { body, headers: once() }))
    onDone(recoveryCodes ?? [])
  }
  return (
    <Dialog title={words.addCodes} onClose={onClose}>
      {sent ? (
        <ActForm key="code" act={act} label={words.confirm} onSend={confirm} cancel={onClose}>
          <p>{words.codeSent(sent.sentTo)}</p>
          <Line label={texts.code} value={code} onValue={setCode} inputMode="numeric" autocomplete="one-time-code" maxLength={9} required />
        </ActForm>
      ) : (
        <ActForm key="address" act={act} label={words.sendCode} onSend={send} cancel={onClose}>
          <Choice
            label={words.how}
            value={channel}
            onValue={(chosen) => setChannel(chosen === 'sms' ? 'sms' : 'email')}
            options={[
              { value: 'email', label: words.kinds['email'] ?? '' },
              { value: 'sms', label: words.kinds['sms'] ?? '' },
            ]}
          />
          <Line
            label={channel === 'email' ? words.address : words.phone}
            value={value}
            onValue={setValue}
            maxLength={254}
            {...(channel === 'email' ? { type: 'email' as const, autocomplete: 'email' as const } : {})}
            required
          />
        </ActForm>
      )}
    </Dialog>
  )
}
