import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import { heldRoles, type RoleName } from '../me.ts'
import { ActForm, Choice, Dialog, Line } from '../parts/basics.tsx'
import { RolesField } from '../parts/roles.tsx'
import { texts } from '../texts/index.ts'
import { endOfDay } from '../times.ts'
import { HoursField } from './hours-field.tsx'
import type { ApiKey } from './keys-page.tsx'

const words = texts.keys

/** The smallest sets of roles that do what keys are mostly made for. */
const presets: Readonly<Record<keyof typeof words.presets, readonly RoleName[]>> = {
  read: ['DataView'],
  work: ['DataView', 'DataEdit', 'FileEdit'],
  load: ['DataView', 'DataImport', 'FileEdit'],
  build: ['BuilderAdmin', 'DataView'],
  own: [],
}
type Preset = keyof typeof presets
const presetNames = Object.keys(presets) as Preset[]

const sameRoles = (one: readonly RoleName[], other: readonly RoleName[]) =>
  one.length === other.length && one.every((role) => other.includes(role))
const presetOf = (roles: readonly RoleName[]) => presetNames.find((name) => sameRoles(presets[name], roles)) ?? 'own'
const linesOf = (text: string) => text.split(/[\s,]+/).filter(Boolean)

/** A new key, or another name, roles, expiry, addresses or hours of one. */
export function KeyDialog({
  apiKey,
  onClose,
  onMade,
}: {
  apiKey?: ApiKey
  onClose: () => void
  onMade: (made: { name: string; apiKey: string }) => void
}) {
  const act = useAct()
  const held = heldRoles()
  const [name, setName] = useState(apiKey?.name ?? '')
  const [roles, setRoles] = useState<readonly RoleName[]>(apiKey?.roles ?? presets.read)
  const [preset, setPreset] = useState<Preset>(presetOf(roles))
  const [day, setDay] = useState(apiKey?.expiresAt?.slice(0, 10) ?? '')
  const [addresses, setAddresses] = useState(apiKey?.allowedAddresses.join(' ') ?? '')
  const [validHours, setHours] = useState(apiKey?.validHours ?? null)

  async function save() {
    const body = { name, roles: [...roles], allowedAddresses: linesOf(addresses) }
    if (apiKey) {
      // An expiry that nobody touched stays to the second.
      const isTouched = day !== (apiKey.expiresAt?.slice(0, 10) ?? '')
      const expiry = isTouched ? { expiresAt: day === '' ? null : endOfDay(day) } : {}
      const params = { path: { apiKeyId: apiKey.apiKeyId } }
      await dataOf(api.PUT('/api/v1/api-keys/{apiKeyId}', { params, body: { ...body, ...expiry, validHours } }))
      onClose()
      return
    }
    const limits = { ...(day === '' ? {} : { expiresAt: endOfDay(day) }), ...(validHours ? { validHours } : {}) }
    onMade(await dataOf(api.POST('/api/v1/api-keys', { body: { ...body, ...limits }, headers: once() })))
  }

  return (
    <Dialog title={apiKey ? words.changeTitle(apiKey.name) : words.create} onClose={onClose}>
      <ActForm act={act} label={apiKey ? texts.save : words.create} onSend={save} cancel={onClose}>
        <Line label={words.name} hint={words.nameHint} value={name} onValue={setName} maxLength={100} required />
        <Choice
          label={words.purpose}
          value={preset}
          onValue={(value) => {
            const chosen = presetNames.find((one) => one === value) ?? 'own'
            setPreset(chosen)
            if (chosen !== 'own') setRoles(presets[chosen])
          }}
          options={presetNames
            .filter((one) => presets[one].every((role) => held.includes(role)) || one === preset)
            .map((one) => ({ value: one, label: words.presets[one] }))}
        />
        <RolesField
          label={words.roles}
          value={roles}
          onValue={(chosen) => {
            setRoles(chosen)
            setPreset(presetOf(chosen))
          }}
        />
        <Line
          label={words.expires}
          hint={words.expiresHint}
          type="date"
          value={day}
          onValue={setDay}
          min={new Date().toISOString().slice(0, 10)}
        />
        <Line label={words.addresses} hint={words.addressesHint} value={addresses} onValue={setAddresses} placeholder="203.0.113.0/24" />
        <HoursField value={validHours} onValue={setHours} />
      </ActForm>
    </Dialog>
  )
}
