/** Reads which records a report joins. */
import { nearest, quoted } from '#platform/suggest.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

import { tableOf } from '../parse.rules.ts'
import { isObject, lowered, type Parser, refuseOtherKeys, say, wordOf } from '../parser.rules.ts'
import { type Link, links, waysBetween } from '../relations.rules.ts'
import { type Opening, openSource, type Source } from '../source.rules.ts'
import { unknownEntity } from '../unknown-name.rules.ts'
import type { Join, Tables } from './report.types.ts'

export const maxJoins = 10
/** A name of a column or of joined records that an author chooses. */
const aliasForm = /^[^\p{C}[\]{}|]{1,64}$/u

/** The alias of a part; undefined where there is none, or a wrong one. */
export function readAlias(parser: Parser, said: unknown, path: string): string | undefined {
  if (said === undefined || said === null) return undefined
  if (typeof said === 'string' && aliasForm.test(said) && said.trim() === said) return said
  return say(parser, path, `An alias has 1 to 64 characters without brackets, got ${quoted(said)}.`)
}

function findEntity(parser: Parser, said: unknown, path: string): CatalogEntity | undefined {
  const { byIdOrName, entities } = parser.catalog
  if (said === undefined || said === null) return say(parser, path, 'Required, the id or internalName of an entity.')
  const found = byIdOrName.get(lowered(said))
  if (!found)
    parser.issues.push(
      unknownEntity(
        said,
        entities.map((one) => one.internalName),
        path,
      ),
    )
  return found
}

function linkBetween(parser: Parser, from: Source, to: CatalogEntity, said: unknown, path: string): Link | undefined {
  const ways = waysBetween(parser.catalog, from.entity, to).filter((way) => way.through.length === 0)
  const possible = links.filter((link) => ways.some((way) => way.link === link))
  const name = from.entity.internalName
  if (said !== undefined && said !== null) {
    const asked = wordOf(parser, said, links, `${path}.joinType`)
    if (asked === undefined || possible.includes(asked)) return asked
  }
  const [only, ...others] = possible
  if (only === undefined)
    return say(
      parser,
      `${path}.entityId`,
      `${to.internalName} is no parent, child or peer of ${name}. list_entity_relationships shows what is; join the entities between first.`,
    )
  if (said !== undefined && said !== null)
    return say(
      parser,
      `${path}.joinType`,
      `${to.internalName} is joined to ${name} as ${possible.join(' or ')}, not as ${quoted(said)}.`,
      only,
    )
  if (others.length === 0) return only
  return say(parser, `${path}.joinType`, `${to.internalName} is related to ${name} as ${possible.join(' and ')}: say which.`)
}

/** What is opened and joined; undefined where the entity to begin with is not known. Findings about it stand at `path`. */
export function readTables(
  parser: Parser,
  said: { readonly primary: unknown; readonly joins: unknown; readonly joinMode: unknown },
  opening: Pick<Opening, 'asOf' | 'at'>,
  path: string,
): Tables | undefined {
  const entity = findEntity(parser, said.primary, `${path}.primaryEntityId`)
  const mode = wordOf(parser, said.joinMode ?? undefined, ['inner', 'left'], `${path}.joinMode`) ?? 'inner'
  if (!entity) return undefined
  const root = openSource(tableOf(parser, entity), opening)
  const sources = new Map<string, Source>()
  const names = new Map<Source, string>()
  const name = (source: Source, alias: string | undefined) => {
    names.set(source, alias ?? source.entity.internalName)
    sources.set((alias ?? source.entity.internalName).toLowerCase(), source)
    if (alias === undefined) sources.set(String(source.entity.entityId), source)
  }
  name(root, undefined)
  const joins: Join[] = []
  const list = said.joins ?? []
  if (!Array.isArray(list) || list.length > maxJoins)
    say(parser, `${path}.joins`, `Expected an array of at most ${maxJoins} {entityId, parentEntityId, joinType}.`)
  else
    list.forEach((raw: unknown, index) => {
      const place = `${path}.joins[${index}]`
      const join = readJoin(parser, { raw, mode, opening, number: index + 1 }, { root, sources }, place)
      if (!join) return
      const alias = isObject(raw) ? readAlias(parser, raw['alias'], `${place}.alias`) : undefined
      if (sources.has((alias ?? join.source.entity.internalName).toLowerCase())) {
        const called = alias ?? join.source.entity.internalName
        say(parser, `${place}.alias`, `${called} stands in the report already: give this one an alias of its own.`)
        return
      }
      name(join.source, alias)
      joins.push(join)
    })
  return { root, joins, sources, names }
}

function readJoin(
  parser: Parser,
  { raw, mode, opening, number }: { raw: unknown; mode: Join['mode']; opening: Pick<Opening, 'asOf' | 'at'>; number: number },
  { root, sources }: Pick<Tables, 'root' | 'sources'>,
  path: string,
): Join | undefined {
  if (!isObject(raw)) return say(parser, path, `Expected {entityId, parentEntityId, joinType}, got ${quoted(raw)}.`)
  refuseOtherKeys(parser, raw, ['entityId', 'parentEntityId', 'joinType', 'joinMode', 'alias'], path)
  const entity = findEntity(parser, raw['entityId'], `${path}.entityId`)
  const ownMode = wordOf(parser, raw['joinMode'] ?? mode, ['inner', 'left'], `${path}.joinMode`)
  const said = raw['parentEntityId']
  const from = said === undefined || said === null ? root : sources.get(lowered(said))
  if (!from) {
    const known = [...sources.keys()].filter((one) => !/^\d+$/.test(one))
    const suggestion = typeof said === 'string' ? nearest(said, known) : undefined
    return say(
      parser,
      `${path}.parentEntityId`,
      `${quoted(said)} is not joined before this: expected ${known.join(', ')}, or leave it out for the first.`,
      suggestion,
    )
  }
  const link = entity && linkBetween(parser, from, entity, raw['joinType'], path)
  if (!entity || !link || !ownMode) return undefined
  const source = openSource(tableOf(parser, entity), { ...opening, alias: `j${number}`, isOptional: ownMode === 'left' })
  return { source, from, link, mode: ownMode }
}
