/** JSON as vendors send it. What is the vendor's is not refused for one character: it would come again for ever, before everything else. */

/** No vendor's message is longer, and reading one that is would hold everybody up. */
const mostBytes = 512 * 1024

/** The object in a body that a vendor signed; undefined for what is none. */
export function objectOf(body: Buffer | string): unknown {
  if (Buffer.byteLength(body) > mostBytes) return undefined
  try {
    const value: unknown = JSON.parse(body.toString())
    return typeof value === 'object' && value !== null ? value : undefined
  } catch {
    return undefined
  }
}
