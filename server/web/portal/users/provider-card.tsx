/** The provider of the tenant's own, by which its people sign in. */
import { useState } from 'preact/hooks'

import { useAct, useAnswer } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { me } from '../me.ts'
import { ActForm, Card, Choice, Copy, Line } from '../parts/basics.tsx'
import { Shown } from '../parts/shown.tsx'
import { texts } from '../texts/index.ts'

const words = texts.provider

const pathOf = () => ({ tenantId: me.value?.caller.tenantId ?? 0 })
const readProvider = () => dataOf(api.POST('/api/v1/tenants/{tenantId}/identity-provider', { params: { path: pathOf() } }))
type Provider = Awaited<ReturnType<typeof readProvider>>
type Settings = Pick<Provider, 'issuer'> &
  Partial<Pick<Provider, 'scopes' | 'isRequired' | 'trustsItsSecondFactor'>> & {
    readonly clientId?: string
    readonly clientSecret?: string
  }

const answers = [
  { value: 'no', label: words.no },
  { value: 'yes', label: words.yes },
]

function ProviderForm({ provider, reload }: { provider: Provider; reload: () => unknown }) {
  const act = useAct()
  const removal = useAct()
  const [issuer, setIssuer] = useState(provider.issuer ?? '')
  const [clientId, setClientId] = useState(provider.clientId ?? '')
  const [clientSecret, setSecret] = useState('')
  const [isRequired, setRequired] = useState(provider.isRequired)
  const [trustsItsSecondFactor, setTrust] = useState(provider.trustsItsSecondFactor)
  async function put(body: Settings) {
    await dataOf(api.PUT('/api/v1/tenants/{tenantId}/identity-provider', { params: { path: pathOf() }, body }))
    reload()
  }
  // What this page does not ask about stays as it is.
  const { scopes } = provider
  const save = () =>
    put({
      issuer: issuer.trim(),
      clientId,
      isRequired,
      trustsItsSecondFactor,
      ...(scopes.length === 0 ? {} : { scopes }),
      ...(clientSecret === '' ? {} : { clientSecret }),
    })
  return (
    <>
      <p>{words.lead}</p>
      <p>
        {words.callback} <code>{provider.callbackUrl}</code> <Copy text={provider.callbackUrl} />
      </p>
      <ActForm act={act} label={words.set} onSend={save} done={texts.saved}>
        <Line label={words.issuer} hint={words.issuerHint} value={issuer} onValue={setIssuer} maxLength={500} required />
        <Line label={words.clientId} value={clientId} onValue={setClientId} maxLength={500} required />
        <Line
          label={words.secret}
          hint={provider.hasClientSecret ? words.secretKept : words.secretHint}
          value={clientSecret}
          onValue={setSecret}
          type="password"
          autocomplete="off"
          maxLength={2_000}
        />
        <Choice
          label={words.required}
          hint={words.requiredHint}
          value={isRequired ? 'yes' : 'no'}
          onValue={(value) => setRequired(value === 'yes')}
          options={answers}
        />
        <Choice
          label={words.trusts}
          hint={words.trustsHint}
          value={trustsItsSecondFactor ? 'yes' : 'no'}
          onValue={(value) => setTrust(value === 'yes')}
          options={answers}
        />
      </ActForm>
      {provider.issuer !== null && (
        <ActForm act={removal} label={words.remove} onSend={() => put({ issuer: null })}>
          <p>{words.removeLead}</p>
        </ActForm>
      )}
    </>
  )
}

export function ProviderCard() {
  const { loaded, reload } = useAnswer(readProvider)
  return (
    <Card title={words.title}>
      <Shown of={loaded} reload={reload}>
        {/* Another provider is another form: what was typed for the one is not kept for the other. */}
        {(provider) => <ProviderForm key={provider.setDate} provider={provider} reload={reload} />}
      </Shown>
    </Card>
  )
}
