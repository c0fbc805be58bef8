/** Passkeys on the wire, in the JSON that browsers make of them (WebAuthn Level 3). */
import { z } from 'zod'

const base64url = (longest: number) =>
  z
    .string()
    .regex(/^[\w-]+$/, 'base64url')
    .max(longest)
const common = { id: base64url(1_400), rawId: base64url(1_400), type: z.literal('public-key') }

/** Browsers add more than is asked for. */
export const newCredential = z
  .looseObject({
    ...common,
    response: z.looseObject({
      clientDataJSON: base64url(8_000),
      attestationObject: base64url(24_000),
      transports: z.array(z.string().max(40)).max(10).optional(),
    }),
  })
  .describe('What navigator.credentials.create answered, as its toJSON() writes it')

export const shownCredential = z
  .looseObject({
    ...common,
    response: z.looseObject({
      clientDataJSON: base64url(8_000),
      authenticatorData: base64url(8_000),
      signature: base64url(8_000),
      userHandle: base64url(200).nullish(),
    }),
  })
  .describe('What navigator.credentials.get answered, as its toJSON() writes it')

export const passkeyOptions = z.looseObject({ challenge: z.string() })

export type NewCredential = z.infer<typeof newCredential>
export type ShownCredential = z.infer<typeof shownCredential>
export type PasskeyOptions = z.infer<typeof passkeyOptions>

export const exampleCreation: PasskeyOptions = {
  challenge: 'q2V0mJ8o0cN5aX1rT7uYbKfLdEwGhPsZxQvMnRtUyIo',
  rp: { id: 'portal.example.com', name: 'Fieldloop' },
  user: { id: 'hT3kQ9sXv1YpLmZ8rWc4BdNf6GjUe2AoKtSiVxPqRyM', name: 'ana', displayName: 'Ana Ruiz' },
  attestation: 'none',
  authenticatorSelection: { residentKey: 'preferred', userVerification: 'required' },
}
export const exampleRequest: PasskeyOptions = {
  challenge: 'q2V0mJ8o0cN5aX1rT7uYbKfLdEwGhPsZxQvMnRtUyIo',
  rpId: 'portal.example.com',
  userVerification: 'required',
}
export const exampleNewCredential: NewCredential = {
  id: 'Zm9yIHRoZSBleGFtcGxl',
  rawId: 'Zm9yIHRoZSBleGFtcGxl',
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0', attestationObject: 'o2NmbXRkbm9uZQ', transports: ['internal'] },
}
export const exampleShownCredential: ShownCredential = {
  id: 'Zm9yIHRoZSBleGFtcGxl',
  rawId: 'Zm9yIHRoZSBleGFtcGxl',
  type: 'public-key',
  response: { clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0', authenticatorData: 'SZYN5YgOjGh0NBcPZHZgW4', signature: 'MEUCIQDx' },
}
