/** The picture that a call brings: in the call, or from an address. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { StagedContext } from '#platform/operation.ts'
import { fetchBytes } from '#platform/outbound.ts'

const mostBytes = 5 * 1024 * 1024
const fetchMs = 15_000

/** As many characters as that many bytes have in base64, with line breaks. */
export const mostCharacters = Math.ceil(mostBytes / 3) * 4 + 200_000

const tooLarge = () => new AppError('too_large', 'The picture has more than 5 MiB. Send a smaller one.')

function decoded(base64: string): Buffer {
  const text = base64.replace(/^data:[\w/+.-]{1,100};base64,/, '').replaceAll(/\s+/g, '')
  if (text === '' || !/^[\w+/-]*={0,2}$/.test(text)) {
    const message = 'base64 is the bytes of the picture in base64.'
    throw new AppError('invalid_input', message, { issues: [finding('$.base64', message)] })
  }
  const bytes = Buffer.from(text, 'base64')
  if (bytes.length > mostBytes) throw tooLarge()
  return bytes
}

async function fetched({ services, signal }: StagedContext, url: string): Promise<Buffer> {
  const until = AbortSignal.any([signal, AbortSignal.timeout(fetchMs)])
  const answer = await fetchBytes(services.config, new URL(url), { signal: until, maxBytes: mostBytes }).catch((cause: unknown) => {
    if (cause instanceof AppError) throw cause
    throw new AppError('unprocessable', 'The picture could not be fetched from that address. Send it as base64.', { cause })
  })
  if (answer.status !== 200)
    throw new AppError(
      'unprocessable',
      `The address answered with status ${answer.status}, and no redirect is followed. Send the picture as base64.`,
    )
  return answer.bytes
}

/** Throws AppError `invalid_input`, `too_large`, or `unprocessable` for an address that does not give it. */
export async function pictureOf(
  context: StagedContext,
  { base64, url }: { readonly base64?: string | undefined; readonly url?: string | undefined },
): Promise<Buffer> {
  if (base64 !== undefined && url === undefined) return decoded(base64)
  if (url !== undefined && base64 === undefined) return fetched(context, url)
  const message = 'Send either base64 or url.'
  throw new AppError('invalid_input', message, { issues: [finding('$.base64', message)] })
}
