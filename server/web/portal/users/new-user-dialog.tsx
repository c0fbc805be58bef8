import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf, once } from '../client.ts'
import type { RoleName } from '../me.ts'
import { ActForm, Dialog, Line } from '../parts/basics.tsx'
import { RolesField } from '../parts/roles.tsx'
import { texts } from '../texts/index.ts'

const words = texts.users

/** A user, and the mail that invites them; where the mail does not go out the user is there, and is invited from the list. */
export function NewUserDialog({ onClose }: { onClose: () => void }) {
  const act = useAct()
  const [displayName, setName] = useState('')
  const [email, setEmail] = useState('')
  const [roles, setRoles] = useState<readonly RoleName[]>(['DataView'])
  const [made, setMade] = useState<number>()
  async function invite() {
    const name = displayName.trim()
    const body = { email, roles: [...roles], ...(name === '' ? {} : { displayName: name }) }
    const tenantUserId = made ?? (await dataOf(api.POST('/api/v1/tenants/users', { body, headers: once() }))).tenantUserId
    setMade(tenantUserId)
    await dataOf(api.POST('/api/v1/tenants/users/{tenantUserId}/invite', { params: { path: { tenantUserId } }, body: {}, headers: once() }))
    onClose()
  }
  return (
    <Dialog title={words.create} onClose={onClose}>
      <ActForm act={act} label={words.createAndInvite} onSend={invite} cancel={onClose}>
        {made !== undefined && <p class="note">{words.madeNotInvited}</p>}
        <Line
          label={words.email}
          type="email"
          value={email}
          onValue={setEmail}
          maxLength={254}
          autocomplete="off"
          required
          disabled={made !== undefined}
        />
        <Line label={words.name} value={displayName} onValue={setName} maxLength={200} autocomplete="off" disabled={made !== undefined} />
        <RolesField label={words.roles} value={roles} onValue={setRoles} />
      </ActForm>
    </Dialog>
  )
}
