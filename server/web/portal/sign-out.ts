import { api, dataOf } from './client.ts'

export async function signOut(): Promise<void> {
  await dataOf(api.POST('/api/v1/auth/logout'))
  location.assign('/login')
}
