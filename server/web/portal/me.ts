/** Who looks at the page: asked once, at the beginning. */
import { signal } from '@preact/signals'

import { api, dataOf } from './client.ts'
import { roleBits, type RoleName, roleNames } from './roles.ts'

export { type RoleName, roleNames } from './roles.ts'

const askProfile = () => dataOf(api.POST('/api/v1/profile'))
const askWhoAmI = () => dataOf(api.POST('/api/v1/schema/whoami'))

export type Profile = Awaited<ReturnType<typeof askProfile>>
type WhoAmI = Awaited<ReturnType<typeof askWhoAmI>>

export interface Me {
  readonly profile: Profile
  readonly caller: WhoAmI
  /** The tenant's own provider let them in: nothing of the person's own is open to them. */
  readonly isOfProvider?: boolean
}
export const me = signal<Me | undefined>(undefined)

/** What the portal wrote into the page, which spares a round trip. It is read once: later the answer may be another. */
function toldByPage(): Me | undefined {
  const element = document.querySelector('#me')
  element?.remove()
  // The portal writes what the two operations answered.
  return element ? (JSON.parse(element.textContent ?? '') as Me) : undefined
}

export async function askWho(): Promise<Me> {
  const told = toldByPage()
  if (told) {
    me.value = told
    return told
  }
  const [profile, caller] = await Promise.all([askProfile(), askWhoAmI()])
  me.value = { profile, caller }
  return me.value
}

export function holds(...roles: readonly RoleName[]): boolean {
  const flag = me.value?.caller.roleFlag ?? 0
  return roles.some((role) => (flag & roleBits[role]) !== 0)
}

export const heldRoles = () => roleNames.filter((role) => holds(role))
