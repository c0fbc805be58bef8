/** What the operations on access rules, which stand below, ask of this floor. */
import { roleBits } from '#platform/roles.ts'
import { type Finding, finding } from '#platform/findings.ts'
import type { AccessFloor } from '#tools/entities/access.types.ts'
import type { CatalogEntity } from '#tools/entities/catalog.types.ts'

import { columnsSeen } from './columns-seen.ts'
import { seenAmong } from './holdings.ts'
import { tokensOfFilter } from './rule-filters.rules.ts'
import { rulesFor, seesEveryRow, showingRules } from './sight.rules.ts'
import { sightOf } from './sight.ts'
import { findFilterProblems } from './stored.rules.ts'

const rolesOfVerb = {
  read: roleBits.DataView,
  create: roleBits.DataEdit | roleBits.DataImport,
  edit: roleBits.DataEdit | roleBits.DataImport,
  delete: roleBits.DataDelete,
} as const

/** What the operations on access rules ask of the reading floor. */
export const accessFloor: AccessFloor = {
  seenAmong,
  findFilterIssues(catalog, entity, filter, path, hasTokens) {
    const found = findFilterProblems(catalog, entity, filter, path, { hasTokens })
    return hasTokens ? found : [...found, ...tokensRefused(filter, path)]
  },
  async ownAccessOf(context, catalog, entity) {
    const sight = entity.access && (await sightOf(context, catalog, entity, await columnsSeen(context, entity, [])))
    const { roleFlag } = context.actor
    const may = (verb: keyof typeof rolesOfVerb) => (roleFlag & rolesOfVerb[verb]) !== 0 && (!sight || rulesFor(sight, verb).length > 0)
    const names = (some: CatalogEntity['properties']) => some.map((property) => property.internalName)
    const writing = sight ? sight.rules.filter((rule) => rule.verbs.has('edit') || rule.verbs.has('create')) : []
    const hidden = sight ? entity.properties.filter((property) => showingRules(sight, property) === 'nowhere') : []
    const isReadOnly = ({ propertyId }: CatalogEntity['properties'][number]) =>
      writing.length > 0 && writing.every((rule) => rule.readOnly.has(propertyId) || rule.hidden.has(propertyId))
    return {
      read: may('read'),
      create: may('create'),
      edit: may('edit'),
      delete: may('delete'),
      isPartial: sight !== undefined && !seesEveryRow(sight),
      hidden: names(hidden),
      readOnly: names(entity.properties.filter((property) => isReadOnly(property) && !hidden.includes(property))),
    }
  },
}

function tokensRefused(filter: unknown, path: string): Finding[] {
  return tokensOfFilter(filter, path).map((token) => finding(token.path, 'Which people a rule reaches is told without tokens.'))
}
