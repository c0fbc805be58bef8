/** The expressions of XLSForms, a part of XPath 1.0, read into a tree. */

export type XPath =
  | { readonly kind: 'number'; readonly value: number }
  | { readonly kind: 'text'; readonly value: string }
  /** `${name}`. */
  | { readonly kind: 'question'; readonly name: string }
  /** `.`, the question itself. */
  | { readonly kind: 'self' }
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly XPath[] }
  | { readonly kind: 'operator'; readonly name: string; readonly args: readonly [XPath, XPath] }

const maxCharacters = 2_000
const maxDepth = 30

const tokenAt =
  /\s*(?:(\d+(?:\.\d+)?|\.\d+)|"([^"]*)"|'([^']*)'|\$\{\s*([\p{L}_][\p{L}\p{N}_.-]*)\s*\}|(<=|>=|!=|[=<>+*(),-])|(\.)(?![.\d/])|([\p{L}_](?:[\p{L}\p{N}_:-]|\.(?=[\p{L}\p{N}]))*))/uy

type Token = { readonly is: 'number' | 'text' | 'question' | 'sign' | 'self' | 'word'; readonly said: string }

function tokensOf(source: string): Token[] | undefined {
  const tokens: Token[] = []
  const trimmed = source.trimEnd()
  tokenAt.lastIndex = 0
  while (tokenAt.lastIndex < trimmed.length) {
    const found = tokenAt.exec(trimmed)
    if (!found) return undefined
    const [, number, double, single, question, sign, self, word] = found
    if (number !== undefined) tokens.push({ is: 'number', said: number })
    else if (double !== undefined || single !== undefined) tokens.push({ is: 'text', said: double ?? single ?? '' })
    else if (question !== undefined) tokens.push({ is: 'question', said: question })
    else if (sign !== undefined) tokens.push({ is: 'sign', said: sign })
    else if (self !== undefined) tokens.push({ is: 'self', said: self })
    else tokens.push({ is: 'word', said: word ?? '' })
  }
  return tokens
}

/** Loosest first. */
const levels: readonly (readonly string[])[] = [['or'], ['and'], ['=', '!='], ['<', '<=', '>', '>='], ['+', '-'], ['*', 'div', 'mod']]

class Unreadable extends Error {}

/** Undefined where it is more than is understood here. */
export function parseXPath(source: string): XPath | undefined {
  const tokens = source.length > maxCharacters ? undefined : tokensOf(source)
  if (!tokens || tokens.length === 0) return undefined
  let at = 0
  const operatorAt = (level: number) => {
    const token = tokens[at]
    return token && (token.is === 'sign' || token.is === 'word') && levels[level]?.includes(token.said) ? token.said : undefined
  }
  const expect = (said: string) => {
    if (tokens[at]?.is !== 'sign' || tokens[at]?.said !== said) throw new Unreadable()
    at++
  }
  const isSign = (said: string) => tokens[at]?.is === 'sign' && tokens[at]?.said === said
  const readLevel = (level: number, depth: number): XPath => {
    if (depth > maxDepth) throw new Unreadable()
    if (level === levels.length) return readOne(depth)
    let left = readLevel(level + 1, depth)
    for (let name = operatorAt(level); name !== undefined; name = operatorAt(level)) {
      at++
      left = { kind: 'operator', name, args: [left, readLevel(level + 1, depth)] }
    }
    return left
  }
  const readOne = (depth: number): XPath => {
    const token = tokens[at++]
    if (!token) throw new Unreadable()
    if (token.is === 'number') return { kind: 'number', value: Number(token.said) }
    if (token.is === 'text') return { kind: 'text', value: token.said }
    if (token.is === 'question') return { kind: 'question', name: token.said }
    if (token.is === 'self') return { kind: 'self' }
    if (token.is === 'word') return readCall(token.said, depth)
    if (token.said === '-') return { kind: 'operator', name: '-', args: [{ kind: 'number', value: 0 }, readOne(depth + 1)] }
    if (token.said !== '(') throw new Unreadable()
    const inner = readLevel(0, depth + 1)
    expect(')')
    return inner
  }
  const readCall = (name: string, depth: number): XPath => {
    expect('(')
    const args: XPath[] = []
    while (!isSign(')')) {
      if (args.length > 0) expect(',')
      args.push(readLevel(0, depth + 1))
    }
    at++
    return { kind: 'call', name, args }
  }
  try {
    const read = readLevel(0, 0)
    return at === tokens.length ? read : undefined
  } catch (error) {
    if (error instanceof Unreadable) return undefined
    throw error
  }
}
