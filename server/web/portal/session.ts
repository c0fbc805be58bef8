/** What stops a call until the person did something: signing in again, or proving again who they are. parts/session-dialogs.tsx asks for it. */
import { signal } from '@preact/signals'

export type Need = 'signIn' | 'proof'

export interface Asked {
  readonly need: Need
  readonly settle: (isMet: boolean) => void
}

/** What is asked for now, the latest on top: a session may end while somebody proves who they are. */
export const asked = signal<readonly Asked[]>([])

const open = new Map<Need, Promise<boolean>>()

/** True once the need is met; false where the person cancels. Calls that find the same thing missing wait for the same answer. */
function ask(need: Need): Promise<boolean> {
  const under = open.get(need)
  if (under) return under
  const { promise, resolve } = Promise.withResolvers<boolean>()
  const entry: Asked = {
    need,
    settle(isMet) {
      open.delete(need)
      asked.value = asked.value.filter((one) => one !== entry)
      resolve(isMet)
    },
  }
  open.set(need, promise)
  asked.value = [...asked.value, entry]
  return promise
}

export const signInAgain = () => ask('signIn')
export const proveAgain = () => ask('proof')
