import { useState } from 'preact/hooks'

import { useAct } from '../answers.ts'
import { api, dataOf } from '../client.ts'
import { me, type RoleName } from '../me.ts'
import { ActForm, Dialog } from '../parts/basics.tsx'
import { RolesField } from '../parts/roles.tsx'
import { texts } from '../texts/index.ts'
import type { User } from './users-page.tsx'

export function RolesDialog({ user, onClose }: { user: User; onClose: () => void }) {
  const act = useAct()
  const [roles, setRoles] = useState<readonly RoleName[]>(user.roles)
  async function save() {
    const path = { tenantId: me.value?.caller.tenantId ?? 0, tenantUserId: user.tenantUserId }
    await dataOf(api.POST('/api/v1/tenants/{tenantId}/users/{tenantUserId}/roles', { params: { path }, body: { roles: [...roles] } }))
    onClose()
  }
  return (
    <Dialog title={texts.users.rolesOf(user.displayName)} onClose={onClose}>
      <ActForm act={act} label={texts.save} onSend={save} cancel={onClose}>
        <RolesField label={texts.users.roles} value={roles} onValue={setRoles} />
      </ActForm>
    </Dialog>
  )
}
