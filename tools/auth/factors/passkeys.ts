/** Passkeys: what a browser is asked for, and whether what it answers is right. With user verification, which is always asked for, one is both factors. */
import type { AuthenticatorTransport, RegistrationResponseJSON, WebAuthnCredential } from '@simplewebauthn/server'

import type { Config } from '#platform/config.ts'

import type { NewCredential, PasskeyOptions, ShownCredential } from './passkeys.schema.ts'

type Place = Pick<Config, 'portalUrl'>

const rpName = 'Fieldloop'
/** For how long a browser waits for its person, and a challenge for its answer. */
export const challengeMinutes = 5
// EdDSA, ES256 and RS256: every authenticator has one of them.
const algorithms = [-8, -7, -257]
const longestKey = 2_048

const rpIdOf = ({ portalUrl }: Place) => new URL(portalUrl).hostname

/** 40 MB and its parsers of certificates, which a process without passkeys does not pay for. */
const engine = () => import('@simplewebauthn/server')

const described = ({ credentialId, transports }: KeptPasskey) => ({
  id: credentialId,
  // Browsers leave out what they do not know; what was kept is what one of them said.
  transports: [...transports] as AuthenticatorTransport[],
})

export interface KeptPasskey {
  readonly credentialId: string
  readonly transports: readonly string[]
}

export async function creationOptions(
  place: Place,
  person: { readonly handle: Buffer; readonly name: string; readonly displayName: string; readonly passkeys: readonly KeptPasskey[] },
): Promise<PasskeyOptions> {
  const { generateRegistrationOptions } = await engine()
  const options = await generateRegistrationOptions({
    rpName,
    rpID: rpIdOf(place),
    userID: new Uint8Array(person.handle),
    userName: person.name,
    userDisplayName: person.displayName,
    timeout: challengeMinutes * 60_000,
    attestationType: 'none',
    excludeCredentials: person.passkeys.map(described),
    authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
    supportedAlgorithmIDs: algorithms,
  })
  return { ...options }
}

/** Of no passkeys: whichever the browser has for this place. */
export async function requestOptions(place: Place, passkeys: readonly KeptPasskey[]): Promise<PasskeyOptions> {
  const { generateAuthenticationOptions } = await engine()
  const options = await generateAuthenticationOptions({
    rpID: rpIdOf(place),
    timeout: challengeMinutes * 60_000,
    userVerification: 'required',
    allowCredentials: passkeys.map(described),
  })
  return { ...options }
}

/** A page of somebody else's that holds ours in a frame gets no answer of an authenticator. */
async function isOfOwnPage(clientDataJSON: string): Promise<boolean> {
  const { decodeClientDataJSON } = await import('@simplewebauthn/server/helpers')
  return decodeClientDataJSON(clientDataJSON).crossOrigin !== true
}

/** Whether it says nothing of its maker that would have to be looked up: the certificates of others name addresses to be fetched. */
async function isPlain(attestationObject: string): Promise<boolean> {
  const { decodeAttestationObject, isoBase64URL } = await import('@simplewebauthn/server/helpers')
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestationObject))
  const form = decoded.get('fmt')
  return form === 'none' || (form === 'packed' && decoded.get('attStmt').get('x5c') === undefined)
}

export interface NewPasskey extends KeptPasskey {
  readonly publicKey: Buffer
  readonly counter: number
}

/** The passkey that answers the challenge; undefined where it does not. Whatever bytes are sent, it throws nothing. */
export async function readNewPasskey(place: Place, challenge: string, credential: NewCredential): Promise<NewPasskey | undefined> {
  const { verifyRegistrationResponse } = await engine()
  try {
    const { clientDataJSON, attestationObject, transports = [] } = credential.response
    if (!(await isOfOwnPage(clientDataJSON)) || !(await isPlain(attestationObject))) return undefined
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      // The schema has vouched for the fields that are read of it.
      response: { ...credential, clientExtensionResults: {} } as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: place.portalUrl,
      expectedRPID: rpIdOf(place),
      requireUserVerification: true,
      supportedAlgorithmIDs: algorithms,
    })
    if (!verified || registrationInfo.credential.publicKey.length > longestKey) return undefined
    const { id, publicKey, counter } = registrationInfo.credential
    // What the authenticator signed is what counts, not what the browser wrote beside it.
    if (id !== credential.id) return undefined
    return { credentialId: id, publicKey: Buffer.from(publicKey), counter, transports }
  } catch {
    return undefined
  }
}

/** How often the authenticator says that it signed, where its answer is right; else undefined. Throws nothing either. */
export async function readShownPasskey(
  place: Place,
  challenge: string,
  credential: ShownCredential,
  passkey: { readonly credentialId: string; readonly publicKey: Buffer },
): Promise<number | undefined> {
  const { verifyAuthenticationResponse } = await engine()
  try {
    if (!(await isOfOwnPage(credential.response.clientDataJSON))) return undefined
    const { userHandle: _handle, ...response } = credential.response
    // A counter that goes back is told to the person: with 0 the library does not refuse it.
    const kept: WebAuthnCredential = { id: passkey.credentialId, publicKey: new Uint8Array(passkey.publicKey), counter: 0 }
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: { ...credential, response, clientExtensionResults: {} },
      expectedChallenge: challenge,
      expectedOrigin: place.portalUrl,
      expectedRPID: rpIdOf(place),
      credential: kept,
      requireUserVerification: true,
    })
    return verified ? authenticationInfo.newCounter : undefined
  } catch {
    return undefined
  }
}
