/** How a page calls a public operation: as anybody may over REST, in the name of whoever opened the page. */
import { bodyText } from '#platform/answer.ts'
import type { Call, Pipeline } from '#platform/call.ts'
import type { PageRequest } from '#platform/web-page.ts'

/** From whom a call comes. */
export type Visitor = Pick<PageRequest, 'requestId' | 'ip' | 'signal' | 'traceparent'>

/** Answers what the operation does, whose own schema says what that is. Throws AppError. */
export async function callPublic(
  pipeline: Pipeline,
  { requestId, ip, signal, traceparent }: Visitor,
  name: string,
  input: unknown,
  more: Pick<Partial<Call>, 'idempotencyKey' | 'upload' | 'raw'> = {},
): Promise<unknown> {
  const operation = pipeline.registry.byName.get(name)
  if (!operation) throw new Error(`There is no operation ${name}`)
  const answer = await pipeline.run({
    operation,
    transport: 'rest',
    credential: { kind: 'none' },
    input,
    requestId,
    ip,
    signal,
    traceparent,
    ...more,
  })
  return JSON.parse(bodyText(answer))
}
