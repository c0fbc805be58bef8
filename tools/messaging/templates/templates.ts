/** Templates as they are found, shown and filled in: for one recipient, on one channel, about one record as the sender sees it. */
import { findNamedTenant } from '#platform/db/tenant.ts'
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { IdOrName } from '#platform/names.ts'
import type { TxContext } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Rendering, renderingOf, timeRoots } from '#platform/tokens/rendering.ts'
import { resolving } from '#platform/tokens/resolve.ts'
import { mapInTurns } from '#platform/turns.ts'
import { envelope, unknownName } from '#platform/validation.ts'
import { type DefinitionRow, findAnyDefinition, namesSeen, readDefinitions } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { cachedCatalog, findCaller } from '#tools/entities/service.ts'
import { listOptionDisplays, loadReferences, shownIn } from '#tools/properties/service.ts'
import { documentOf, flatRecord, type FlatRecord, readFrameOf } from '#tools/query/service.ts'

import { card as cardSchema, type Card, type ChannelKind } from '../messaging.schema.ts'
import { filled, namesRecord, paramsOf, readTemplate, type TemplateBody, tokensOf, type Variant, variantFor } from './templates.rules.ts'
import type { MessageTemplate, Params } from './templates.schema.ts'

export const placeOfTemplates = { kind: 'messageTemplate', entityId: null, lister: 'list_message_templates', field: 'templateId' } as const

/** Rows as the wire has them, each with what is wrong with it today. */
export async function showTemplates(context: TxContext, catalog: Catalog, rows: readonly DefinitionRow[]): Promise<MessageTemplate[]> {
  return mapInTurns(await readDefinitions(context, rows, catalog), ({ body, gone, ...row }) => {
    const said = bodyOf(body)
    const told = new Set(gone.map(({ path }) => path))
    const findings = [...gone, ...readTemplate(catalog, said).findings.filter(({ path }) => !told.has(path))]
    return {
      templateId: row.definitionId,
      internalName: row.internalName,
      entity: said.entity,
      params: paramsOf(said.variants),
      variants: [...said.variants],
      createdDate: row.createdDate,
      modifiedDate: row.modifiedDate,
      validation: findings.length === 0 ? null : envelope(findings),
    }
  })
}

// A stored body was read by the schema of save_message_template before it was kept.
export const bodyOf = (stored: unknown) => stored as TemplateBody

/** Whom a message is for, where, and what it is about. */
export interface FilledFor {
  readonly kind: ChannelKind
  readonly tenantUserId: number | null
  readonly eiRecordId: number | null
}

export interface Filled {
  readonly languageCode: string
  readonly text: string | undefined
  readonly card: Card | undefined
}

export interface OpenTemplate {
  /** Throws AppError `unprocessable` where there is no text for the recipient, `invalid_input` for what the call does not give. */
  fill(of: FilledFor): Promise<Filled>
}

const productLanguage = 'en-US'

async function mustFindTemplate(context: TxContext, slot: IdOrName): Promise<DefinitionRow> {
  const row = await findAnyDefinition(context, 'messageTemplate', slot)
  if (row) return row
  const issue = unknownName('$.template', 'template', slot, await namesSeen(context, placeOfTemplates), placeOfTemplates.lister)
  throw new AppError('invalid_input', issue.message, { issues: [issue] })
}

function refuseParams(given: Params, known: readonly string[]): void {
  const issues = Object.keys(given)
    .filter((name) => !known.includes(name))
    .map((name) =>
      finding(`$.params.${name}`, `The template takes ${known.length === 0 ? 'no params' : known.join(', ')}, and no ${quoted(name)}.`, {
        suggestion: nearest(name, known),
      }),
    )
  if (issues[0]) throw new AppError('invalid_input', issues[0].message, { issues: issues.slice(0, 50) })
}

/** A user as tokens name one. */
async function namedUser({ tx, tenantId }: TxContext, tenantUserId: number | null) {
  const row = tenantUserId === null ? undefined : await findCaller(tx, tenantId, tenantUserId)
  if (!row) return null
  const { userId, userName, displayName, email, phone, languageCode, timeZoneIana } = row
  return { tenantUserId, userId, userName, displayName, email, phone, languageCode, timeZoneIana }
}

const hidden = '••••'

/** The record as its sender sees it; what is sensitive is not written into messages. */
async function readRecord(context: TxContext, catalog: Catalog, entity: CatalogEntity, eiRecordId: number | null): Promise<FlatRecord> {
  const refuse = (message: string) => new AppError('invalid_input', message, { issues: [finding('$.eiRecordId', message)] })
  if (eiRecordId === null) throw refuse(`The template speaks of a ${entity.internalName}. Name the record in eiRecordId.`)
  const document = await documentOf(context, await readFrameOf(context, catalog, entity), { id: eiRecordId })
  if (document === undefined) throw refuse(`The template speaks of a ${entity.internalName}, and ${eiRecordId} is none.`)
  // The statement built it as one object.
  const { record } = flatRecord(JSON.parse(document) as FlatRecord)
  const sensitive = new Set(entity.properties.flatMap(({ isSensitive, internalName }) => (isSensitive ? [internalName] : [])))
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, sensitive.has(name) && value !== null ? hidden : value]))
}

/** What options are called in the language of the text; nothing is read where it shows none by its label. */
async function readLabels(
  { tx, tenantId }: TxContext,
  entity: CatalogEntity | undefined,
  variant: Variant,
  languages: { readonly requested: number; readonly usual: number },
): Promise<Rendering['labelOf']> {
  if (!entity || !tokensOf(variant).some(({ filters }) => filters.some(({ name }) => name === 'label'))) return undefined
  const properties = new Map(entity.properties.map((one) => [`${entity.internalName}.${one.internalName}`, one]))
  const ids = entity.properties.flatMap(({ options }) => options.map(({ optionId }) => optionId))
  const displays = Map.groupBy(await listOptionDisplays(tx, tenantId, ids), ({ optionId }) => optionId)
  return (names, value) => {
    const option = properties.get(names.join('.'))?.options.find(({ internalName }) => internalName === value)
    return option && shownIn(displays.get(option.optionId) ?? [], languages, option.internalName).name
  }
}

/** Throws AppError `invalid_input` for what a value made no message of, and for what was not given. */
function sound(said: Omit<Filled, 'languageCode'>, unresolved: ReadonlySet<string>): Omit<Filled, 'languageCode'> {
  const [missing] = unresolved
  if (missing !== undefined) {
    const params = [...unresolved].flatMap((path) => (path.startsWith('$param.') ? [path.slice('$param.'.length)] : []))
    const issues = params.map((name) => finding(`$.params.${name}`, 'The template needs it.'))
    if (issues.length > 0) throw new AppError('invalid_input', `The template needs params: ${params.join(', ')}.`, { issues })
    throw new AppError('unprocessable', `The template names ${missing}, which is no more. save_message_template mends it.`)
  }
  const read = said.card && cardSchema.safeParse(said.card)
  if (!read || read.success) return said
  const path = `$.card.${read.error.issues[0]?.path.join('.') ?? ''}`
  throw new AppError('unprocessable', `With its values the template makes no card: ${path} is empty, or no address.`)
}

/** The template that a call names, ready to be filled in for many. Throws AppError `invalid_input`, and `unprocessable` where it no longer fits. */
export async function openTemplate(context: TxContext, slot: IdOrName, params: Params = {}): Promise<OpenTemplate> {
  const { tx, tenantId, actor, stamp } = context
  const catalog = await cachedCatalog(context)
  const row = await mustFindTemplate(context, slot)
  const [definition] = await readDefinitions(context, [row], catalog)
  if (!definition) throw new Error('A template was not read')
  const { entity: said, variants } = bodyOf(definition.body)
  const entity = said === null ? undefined : catalog.byIdOrName.get(String(said).toLowerCase())
  const [gone] = definition.gone
  if (gone || (said !== null && !entity)) {
    const why = gone?.message ?? 'Its entity was deleted.'
    throw new AppError('unprocessable', `The template ${row.internalName} no longer fits. ${why} save_message_template mends it.`)
  }
  refuseParams(params, paramsOf(variants))
  const { languages, usualLanguageId } = await loadReferences(tx, tenantId)
  const usual = languages.find(({ languageRegionId }) => languageRegionId === usualLanguageId)?.languageCode ?? productLanguage
  const $user = await namedUser(context, actor.tenantUserId)
  const $tenant = await findNamedTenant(tx, tenantId)
  return {
    async fill({ kind, tenantUserId, eiRecordId }) {
      const $recipient = await namedUser(context, tenantUserId)
      const wanted = [...new Set([$recipient?.languageCode ?? usual, usual, productLanguage])]
      const variant = variantFor(variants, wanted, kind)
      if (!variant) {
        const there = [
          ...new Set(variants.map(({ languageCode, channel }) => (channel === null ? languageCode : `${languageCode} on ${channel}`))),
        ]
        const message = `The template ${row.internalName} has no text for ${kind} in ${wanted.join(' or ')}, only in ${there.slice(0, 20).join(', ')}. Save one with save_message_template.`
        throw new AppError('unprocessable', message, { issues: [finding('$.template', message)] })
      }
      const requested = languages.find(({ languageCode }) => languageCode === variant.languageCode)?.languageRegionId ?? usualLanguageId
      const rendering = renderingOf({
        locale: variant.languageCode,
        timeZone: $recipient?.timeZoneIana ?? $user?.timeZoneIana ?? 'UTC',
        // A read has no stamp.
        nowMs: stamp === '' ? Date.now() : Date.parse(stamp),
        labelOf: await readLabels(context, entity, variant, { requested, usual: usualLanguageId }),
      })
      const record =
        entity && namesRecord(variant, entity) ? { [entity.internalName]: await readRecord(context, catalog, entity, eiRecordId) } : {}
      const at = resolving({ ...record, $recipient, $user, $tenant, $param: params, ...timeRoots(rendering) }, rendering)
      return { languageCode: variant.languageCode, ...sound(filled(variant, at), at.unresolved) }
    },
  }
}
