/** How much a tenant may define: lists of definitions answer whole, and each process keeps the catalogs of many tenants in memory. */
import { AppError } from '../errors.ts'
import type { Tx } from './pool.ts'

const MiB = 1024 * 1024

export const definitionLimits = {
  entities: { most: 2_000, noun: 'entities' },
  properties: { most: 10_000, noun: 'properties' },
  options: { most: 100_000, noun: 'options, deleted ones among them' },
  categories: { most: 1_000, noun: 'categories' },
  textBytes: { most: 16 * MiB, noun: 'bytes of names and descriptions in all languages' },
} as const

type DefinitionSize = Readonly<Record<keyof typeof definitionLimits, number>>

export async function readDefinitionSize(tx: Tx, tenantId: number): Promise<DefinitionSize> {
  const [row] = await tx<[DefinitionSize]>`
    select (select count(*) from platform.entity where tenant_id = ${tenantId})::int as entities,
      (select count(*) from platform.property where tenant_id = ${tenantId})::int as properties,
      (select count(*) from platform.property_option where tenant_id = ${tenantId})::int as options,
      (select count(*) from platform.category where tenant_id = ${tenantId})::int as categories,
      (select coalesce(sum(octet_length(name) + octet_length(description)), 0) from platform.entity_display where tenant_id = ${tenantId})::int
        + (select coalesce(sum(octet_length(name) + octet_length(description) + coalesce(octet_length(reg_ex), 0)), 0)
           from platform.property_display where tenant_id = ${tenantId})::int
        + (select coalesce(sum(octet_length(name) + octet_length(description)), 0) from platform.property_option_display where tenant_id = ${tenantId})::int
        + (select coalesce(sum(octet_length(internal_name) + 8 * cardinality(option_ids)), 0)
           from platform.property_option_filter where tenant_id = ${tenantId})::int as text_bytes`
  return row
}

/** Throws AppError `too_large` where a change went past a limit. Whoever stands beyond one may still take away. */
export function refuseTooManyDefinitions(before: DefinitionSize, after: DefinitionSize): void {
  for (const name of ['entities', 'properties', 'options', 'categories', 'textBytes'] as const) {
    const { most, noun } = definitionLimits[name]
    if (after[name] > most && after[name] > before[name])
      throw new AppError(
        'too_large',
        `A tenant defines at most ${most.toLocaleString('en-US')} ${noun}, and this would make ${after[name].toLocaleString('en-US')}. Delete what is not used; get_property_usage and get_entity_usage tell.`,
      )
  }
}
