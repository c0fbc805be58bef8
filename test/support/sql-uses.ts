/** Which tables the SQL of the product reads and writes, as its texts say it. */
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { parseSync } from 'oxc-parser'

const root = resolve(import.meta.dirname, '../..')

export interface SqlUse {
  readonly file: string
  /** The domain, or the room outside of the domains. */
  readonly home: string
  /** `tenant_user` of the platform's schema; `records` stands for every record table and its history, `records.link` for a table beside them. */
  readonly table: string
  readonly isWrite: boolean
}

interface Template {
  readonly quasis: readonly { readonly value: { readonly cooked: string | null } }[]
  readonly expressions: readonly { readonly start: number; readonly end: number }[]
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Every text that stands in a file, with what it puts into them named where it is a record table. */
function textsOf(file: string): string[] {
  const source = readFileSync(join(root, file), 'utf8')
  const variables = (maker: RegExp) => [...source.matchAll(maker)].map((match) => match[1] ?? '')
  const tables = variables(/const (\w+) = (?:recordTable|historyTable)\(/g)
  const links = variables(/const (\w+) = linkTable\(/g)
  const named = (expression: string) => {
    if (expression.startsWith('linkTable(') || links.includes(expression)) return 'records.beside.link'
    return /^(?:recordTable|historyTable)\(/.test(expression) || tables.includes(expression) ? 'records.row' : 'records.beside'
  }
  const texts: string[] = []
  const walk = (node: unknown): void => {
    if (Array.isArray(node)) return node.forEach(walk)
    if (!isObject(node)) return
    if (node['type'] === 'TemplateLiteral') {
      // The parser's own shape of a template.
      const { quasis, expressions } = node as unknown as Template
      texts.push(
        quasis
          .map(({ value }, index) => {
            const expression = expressions[index]
            return (value.cooked ?? '') + (expression ? named(source.slice(expression.start, expression.end)) : '')
          })
          .join(''),
      )
    } else if (node['type'] === 'Literal' && typeof node['value'] === 'string') texts.push(node['value'])
    Object.values(node).forEach(walk)
  }
  walk(parseSync(file, source).program)
  return texts
}

const use =
  /(?<write>(?:insert into|update|delete from|merge into|truncate(?: table)?)\s+(?:only\s+)?)?\b(?:platform\.(?<table>[a-z][a-z_]*)|records\.(?:row\b|beside\.(?<beside>link|search_doc|identity_link)\b))/g

function homeOf(file: string): string {
  const [room = '', folder = ''] = file.split('/')
  if (room === 'tools') return folder
  return room === 'server' ? `server/${folder}` : room
}

export function sqlUsesOf(file: string): SqlUse[] {
  return textsOf(file).flatMap((text) =>
    [...text.matchAll(use)].map(({ groups = {} }) => ({
      file,
      home: homeOf(file),
      table: groups['table'] ?? (groups['beside'] === undefined ? 'records' : `records.${groups['beside']}`),
      isWrite: groups['write'] !== undefined,
    })),
  )
}
