/** Where in JSON a value stands, as a path: `$.rows[3].data.Amount`. */

const [quote, backslash, comma, colon] = [0x22, 0x5c, 0x2c, 0x3a]
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d]
const turnBytes = 64 * 1024
const shownCharacters = 60

/** The paths of the values that begin at these bytes, which are in their order, of text that is JSON. In turns. */
export function* pathsAt(bytes: Buffer, places: readonly number[]): Generator<void, string[]> {
  const paths: string[] = []
  /** An index in a list, a name in an object. */
  const steps: (number | string)[] = []
  let isName = false
  let turnEnds = turnBytes
  for (let at = 0; at < bytes.length && paths.length < places.length; at++) {
    if (at >= turnEnds) {
      turnEnds = at + turnBytes
      yield
    }
    if (at === places[paths.length]) paths.push(`$${steps.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('')}`)
    switch (bytes[at]) {
      case quote: {
        const from = at
        for (at++; at < bytes.length && bytes[at] !== quote; at++) if (bytes[at] === backslash) at++
        if (isName) steps[steps.length - 1] = nameOf(bytes.subarray(from, at + 1))
        break
      }
      case openObject:
        steps.push('')
        isName = true
        break
      case openList:
        steps.push(0)
        isName = false
        break
      case closeObject:
      case closeList:
        steps.pop()
        break
      case comma: {
        const step = steps.at(-1)
        isName = typeof step === 'string'
        if (typeof step === 'number') steps[steps.length - 1] = step + 1
        break
      }
      case colon:
        isName = false
        break
      default:
    }
  }
  return paths
}

function nameOf(literal: Buffer): string {
  // Text that is JSON was read before, so that each name of it is a text.
  const name = JSON.parse(literal.toString('utf8')) as string
  return name.length > shownCharacters ? `${name.slice(0, shownCharacters)}…`.toWellFormed() : name
}
