import { api, dataOf, inBackground, Refusal } from './client.ts'

/** Where the session is over already there is nothing to end, and nobody signs in for it. */
export async function signOut(): Promise<void> {
  await dataOf(api.POST('/api/v1/auth/logout', { headers: inBackground })).catch((error: unknown) => {
    if (!(error instanceof Refusal) || error.problem.code !== 'unauthenticated') throw error
  })
  location.assign('/login')
}
