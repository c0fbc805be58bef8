/** What a template says: what is wrong with its texts, what they ask for, which variant somebody gets, and that one filled in. */
import { pathText } from '#platform/issues.ts'
import { type Finding, finding, unknownName } from '#platform/validation.ts'
import { checkTokens } from '#platform/tokens/check.ts'
import { resolveText, type Resolving } from '#platform/tokens/resolve.ts'
import type { Shape, Shapes } from '#platform/tokens/shape.ts'
import { mayHoldTokens, parseTemplate, type Token } from '#platform/tokens/template.ts'
import type { IdOrName } from '#platform/names.ts'
import { type Reference, referencesOfTokens } from '#tools/definitions/service.ts'
import type { Catalog, CatalogEntity } from '#tools/entities/catalog.types.ts'
import { shapeOfRecord, shapeOfUser, shapesOfCaller } from '#tools/query/service.ts'

import type { Card, ChannelKind } from '../messaging.schema.ts'
import type { TemplateCard } from './templates.schema.ts'

export interface Variant {
  readonly languageCode: string
  /** Null: for every kind without one of its own. */
  readonly channel: ChannelKind | null
  readonly text?: string | undefined
  readonly card?: TemplateCard | undefined
}

export interface TemplateBody {
  readonly entity: IdOrName | null
  readonly variants: readonly Variant[]
}

function textsOf({ text, card }: Variant): string[] {
  const texts = [text, card?.title, card?.text, card?.link?.label, card?.link?.url, ...(card?.choices ?? []).map(({ label }) => label)]
  return texts.filter((one) => one !== undefined)
}

/** The tokens of a variant, in all its texts. */
export function tokensOf(variant: Variant): Token[] {
  return textsOf(variant).flatMap((text) =>
    mayHoldTokens(text) ? parseTemplate(text).parts.filter((part) => typeof part !== 'string') : [],
  )
}

const paramOf = ({ path: [root, name] }: Token) => (root.name === '$param' ? name?.name : undefined)

/** What the caller has to give. */
export function paramsOf(variants: readonly Variant[]): string[] {
  return [...new Set(variants.flatMap(tokensOf).flatMap((token) => paramOf(token) ?? []))].toSorted()
}

export const namesRecord = (variant: Variant, entity: CatalogEntity) =>
  tokensOf(variant).some(({ path: [root] }) => root.name === entity.internalName)

const isSame = (a: Variant, b: Variant) => a.languageCode === b.languageCode && a.channel === b.channel

/** The variants with this one in its place, or behind them. */
export function withVariant(variants: readonly Variant[], saved: Variant): Variant[] {
  const isThere = variants.some((one) => isSame(one, saved))
  return isThere ? variants.map((one) => (isSame(one, saved) ? saved : one)) : [...variants, saved]
}

/** The languages to try, the best first: each as it is, then another region of it. */
export function variantFor(variants: readonly Variant[], languages: readonly string[], kind: ChannelKind): Variant | undefined {
  const spoken = (code: string) => code.split('-')[0]
  for (const language of languages) {
    for (const isMeant of [
      ({ languageCode }: Variant) => languageCode === language,
      ({ languageCode }: Variant) => spoken(languageCode) === spoken(language),
    ]) {
      const meant = variants.filter(isMeant)
      const found = meant.find(({ channel }) => channel === kind) ?? meant.find(({ channel }) => channel === null)
      if (found) return found
    }
  }
  return undefined
}

const scalar: Shape = { kind: 'scalar' }

/** What the texts may name. */
function rootsOf(entity: CatalogEntity | undefined, params: readonly string[]): Shapes {
  return {
    ...(entity ? { [entity.internalName]: shapeOfRecord(entity.properties) } : {}),
    $recipient: shapeOfUser,
    ...shapesOfCaller,
    $param: { kind: 'object', fields: Object.fromEntries(params.map((name) => [name, scalar])) },
  }
}

function findLinkProblems({ card }: Variant, at: string): Finding[] {
  if (!card?.link) return []
  const [first] = parseTemplate(card.link.url).parts
  if (typeof first === 'object' || /^https?:\/\/[^\s]*$/i.test(first ?? '')) return []
  return [finding(`${at}.card.link.url`, 'An address begins with https:// or http://, or with a token that does.')]
}

function findVariantProblems(catalog: Catalog, entity: CatalogEntity | undefined, variant: Variant, at: string): Finding[] {
  const { text, card } = variant
  const foreign = tokensOf(variant).flatMap(({ path: [root] }) => {
    const named = catalog.byIdOrName.get(root.name.toLowerCase())
    return named && named !== entity ? [named.internalName] : []
  })
  const [name] = foreign
  if (name !== undefined) {
    const said = entity === undefined ? 'names no entity' : `is about ${entity.internalName}`
    return [finding('$.entity', `The text speaks of ${name}, and the template ${said}.`, { suggestion: name })]
  }
  return [
    ...checkTokens(
      { ...(text === undefined ? {} : { text }), ...(card === undefined ? {} : { card }) },
      rootsOf(entity, paramsOf([variant])),
      at,
    ),
    ...findLinkProblems(variant, at),
  ]
}

export interface ReadTemplate {
  readonly entity: CatalogEntity | undefined
  readonly findings: readonly Finding[]
  readonly references: readonly Reference[]
}

/** Everything that is wrong with a template, and what it names. `saved` is the variant that the caller has just written, whose places are the call's own. */
export function readTemplate(catalog: Catalog, body: TemplateBody, saved?: Variant): ReadTemplate {
  const entity = body.entity === null ? undefined : catalog.byIdOrName.get(String(body.entity).toLowerCase())
  if (body.entity !== null && !entity) {
    const names = catalog.entities.map((one) => one.internalName)
    return { entity, findings: [unknownName('$.entity', 'entity', body.entity, names, 'list_entities', 'unknown_entity')], references: [] }
  }
  const findings = body.variants.flatMap((one, n) =>
    findVariantProblems(catalog, entity, one, saved && isSame(one, saved) ? '$' : pathText(['variants', n])),
  )
  const references = [...(entity ? [{ at: ['entity'], entityId: entity.entityId }] : []), ...referencesOfTokens(catalog, body, [])]
  return { entity, findings, references }
}

/** On one line, since it is a subject or a button; what a value makes too long is cut there. */
function line(text: string, most: number): string {
  const one = text.replaceAll(/\s+/g, ' ').trim()
  return one.length <= most ? one : `${one.slice(0, most - 1).toWellFormed()}…`
}

/** A variant with its tokens filled in. Values are plain text, as messages are; in an address they are encoded. */
export function filled({ text, card }: Variant, at: Resolving): { text: string | undefined; card: Card | undefined } {
  const say = (said: string, format: 'text' | 'url' = 'text') => resolveText(parseTemplate(said), at, format)
  if (!card) return { text: text && say(text), card: undefined }
  const { title, text: body, imageAssetKey, choices, link } = card
  return {
    text: text && say(text),
    card: {
      ...(title === undefined ? {} : { title: line(say(title), 200) }),
      ...(body === undefined ? {} : { text: say(body).slice(0, 4_000) }),
      ...(imageAssetKey === undefined ? {} : { imageAssetKey }),
      ...(choices === undefined ? {} : { choices: choices.map(({ key, label }) => ({ key, label: line(say(label), 100) })) }),
      ...(link === undefined ? {} : { link: { label: line(say(link.label), 100), url: say(link.url, 'url') } }),
    },
  }
}
