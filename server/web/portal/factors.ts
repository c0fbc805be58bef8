/** Second factors of whoever looks, and passkeys as the browser makes and shows them. */
import { api, dataOf, Refusal } from './client.ts'
import { texts } from './texts/index.ts'

export const listFactors = () => dataOf(api.POST('/api/v1/auth/factors/list'))
export type Factor = Awaited<ReturnType<typeof listFactors>>[number]

export const knowsPasskeys = 'PublicKeyCredential' in window

/** Throws a Refusal where the person closed the browser's question, or nothing here answers it. */
async function madeOf(asked: Promise<Credential | null>, otherwise: string): Promise<PublicKeyCredential> {
  const credential = await asked.catch(() => null)
  if (!(credential instanceof PublicKeyCredential)) throw new Refusal({ code: 'no_answer', detail: otherwise })
  return credential
}

// The options are those that the browser's own interface takes, as the server's library writes them.
export function makePasskey(options: unknown): Promise<PublicKeyCredential> {
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options as PublicKeyCredentialCreationOptionsJSON)
  return madeOf(navigator.credentials.create({ publicKey }), texts.factors.noPasskey)
}

export function showPasskey(options: unknown): Promise<PublicKeyCredential> {
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(options as PublicKeyCredentialRequestOptionsJSON)
  return madeOf(navigator.credentials.get({ publicKey }), texts.passkeyNotShown)
}
