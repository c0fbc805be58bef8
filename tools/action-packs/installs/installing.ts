/** How a pack becomes an install: its settings are read, put into its steps and triggers, and published under a user of their own. */
import { randomBytes } from 'node:crypto'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { findTenantKey } from '#platform/db/tenant.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { flagOf } from '#platform/roles.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { type Finding, finding } from '#platform/validation.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { listChannels } from '#tools/messaging/service.ts'
import { refuseGrant } from '#tools/users/service.ts'
import { addInstall, changeInstall, type ComposedBody, type Draft, inOrder, type Installed } from '#tools/workflows/service.ts'

import { deleteSecretsBut, findSealed, listSecrets, putInstall, putSecret } from '../action-packs.store.ts'
import { compose, isUnder, settingIn } from '../composing.rules.ts'
import type { Manifest } from '../manifest.schema.ts'
import type { Pack } from '../packs/packs.ts'
import { type ReadSettings, readSettings, type Values } from '../settings.rules.ts'
import { findPropertyProblems } from '../shipped/properties.rules.ts'
import { boundTo } from './seals.rules.ts'

/** A mark stands in runs for a value that is sealed. */
const newMark = () => `⟦sealed:${randomBytes(24).toString('base64url')}⟧`

export interface Wanted {
  readonly pack: Pack
  readonly manifest: Manifest
  readonly settings: Values
}

/** Throws 400 for settings that are missing, unknown or of another type. */
function mustRead({ pack, manifest, settings }: Wanted, kept?: ReadonlySet<string>): ReadSettings {
  const read = readSettings(manifest.settings ?? [], settings, kept)
  const findings = read.findings.length > 0 ? read.findings : (pack.shipped?.findProblems?.(read.values) ?? [])
  const [first] = findings
  if (first)
    throw new AppError('invalid_input', `The settings do not fit. ${first.path}: ${first.message}`, { issues: findings.slice(0, 50) })
  return read
}

const nameOf = (said: unknown) => (typeof said === 'string' ? said : JSON.stringify(said))

/** Throws 422 where an entity or a channel that the pack needs is absent. */
async function refuseAbsent(context: TxContext, { manifest }: Wanted, values: Values): Promise<void> {
  const needs = compose(manifest.needs ?? {}, values, () => false).value
  // What a setting names is whatever it holds.
  const [entities, channels] = [needs.entities, needs.channels].map((list: readonly unknown[] = []) => list.map(nameOf)) as [
    string[],
    string[],
  ]
  const issues: Finding[] = []
  if (entities.length > 0) {
    const catalog = await cachedCatalog(context)
    const names = catalog.entities.map(({ internalName }) => internalName)
    for (const name of entities.filter((one) => !catalog.byIdOrName.has(one.toLowerCase())))
      issues.push(
        finding('$.needs.entities', `There is no entity ${quoted(name)}. list_entities shows them.`, { suggestion: nearest(name, names) }),
      )
  }
  if (channels.length > 0) {
    const rows = await listChannels(context.tx, context.tenantId)
    const there = new Set(['inbox', ...rows.flatMap(({ channel, internalName }) => [channel, internalName.toLowerCase()])])
    for (const name of channels.filter((one) => !there.has(one.toLowerCase())))
      issues.push(finding('$.needs.channels', `There is no channel ${quoted(name)}. create_channel makes one.`))
  }
  const [first] = issues
  if (first) throw new AppError('unprocessable', `${manifest.internalName} needs what is not there. ${first.message}`, { issues })
}

/** Throws 400 where a setting names a property that the entity has not, or one of a kind that the pack cannot work with. */
async function refuseUnfit(context: TxContext, { pack, manifest }: Wanted, values: Values): Promise<void> {
  const named = pack.shipped?.propertiesIn?.(values) ?? []
  const entity = (await cachedCatalog(context)).byIdOrName.get(String(values['entity']).toLowerCase())
  const findings = entity ? findPropertyProblems(entity, named) : []
  const [first] = findings
  if (first)
    throw new AppError('invalid_input', `The settings of ${manifest.internalName} do not fit. ${first.path}: ${first.message}`, {
      issues: findings.slice(0, 50),
    })
}

/** Saves learn by the catalog what triggers watch for. */
export const changing = <T>(context: TxContext, work: () => Promise<T>) => changeDefinitions(context, async () => [], work)

interface Made {
  readonly body: ComposedBody
  /** The secrets of webhooks that are settings, by trigger. */
  readonly secrets: ReadonlyMap<number, string>
  readonly places: ReadonlyMap<string, string>
}

/** `sealed` are sensitive settings that were sent earlier, opened. */
function make(
  { pack, manifest }: Wanted,
  { values, sensitive }: ReadSettings,
  marks: ReadonlyMap<string, string>,
  sealed: ReadonlyMap<string, string> = new Map(),
): Made {
  const { settings = [], roles = [], concurrency, version, internalName } = manifest
  const isSensitive = (name: string) => settings.some((one) => one.name === name && one.isSensitive === true)
  // Findings tell of steps where they stand in order.
  const written = inOrder(pack.shipped?.stepsFor?.(values) ?? manifest.steps)
  const steps = compose(written, values, isSensitive, ['steps'])
  const { entity } = compose({ entity: manifest.entity }, values, isSensitive).value
  const triggers = compose(manifest.triggers, values, isSensitive, ['triggers'])
  const secrets = new Map(
    manifest.triggers.flatMap(({ config }, index): [number, string][] => {
      const said = typeof config === 'object' && config !== null && 'secret' in config ? config.secret : undefined
      const name = settingIn(said)
      const secret = name === undefined ? said : (sensitive.get(name) ?? sealed.get(name) ?? values[name])
      return typeof secret === 'string' ? [[index, secret]] : []
    }),
  )
  const body: ComposedBody = {
    ...(entity === undefined ? {} : { entity }),
    ...(concurrency === undefined ? {} : { concurrency }),
    roles,
    steps: steps.value,
    triggers: triggers.value,
    pack: { name: internalName, version },
    settings: settings.map(({ name, dataType }) => ({ name, dataType })),
    settingValues: { ...values, ...Object.fromEntries(marks) },
  }
  return {
    body,
    secrets,
    places: new Map([
      ...steps.places,
      ...triggers.places,
      ...(settingIn(manifest.entity) === undefined ? [] : [['$.entity', settingIn(manifest.entity) ?? ''] as const]),
    ]),
  }
}

/** Of the setting that is wrong, where one stands there. */
function ofSettings<One extends { readonly path: string }>(places: ReadonlyMap<string, string>, findings: readonly One[]): One[] {
  const known = [...places]
  return findings.map((one) => {
    const at = known.find(([place]) => isUnder(one.path, place))
    return at ? { ...one, path: `$.settings.${at[1]}${one.path.slice(at[0].length)}` } : one
  })
}

/** Steps of a shipped pack are made for its settings, and whoever installs it sees none of them: a finding there speaks of the settings, and once. */
function ofShipped<One extends { readonly path: string; readonly message: string }>(findings: readonly One[]): One[] {
  const isOfSetting = ({ path }: One) => path.startsWith('$.settings.')
  const said = new Set(findings.filter(isOfSetting).map(({ message }) => message))
  return findings.flatMap((one) => (isOfSetting(one) ? [one] : said.has(one.message) ? [] : [{ ...one, path: '$.settings' }]))
}

async function told({ pack }: Wanted, places: ReadonlyMap<string, string>, work: () => Promise<Installed>): Promise<Installed> {
  try {
    const installed = await work()
    return { ...installed, warnings: ofSettings(places, installed.warnings) }
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'unprocessable' || !error.issues) throw error
    const mapped = ofSettings(places, error.issues)
    const issues = pack.shipped ? ofShipped(mapped) : mapped
    const [first] = issues
    throw new AppError('unprocessable', `The pack cannot be installed so. ${first?.path ?? ''}: ${first?.message ?? ''}`, { issues })
  }
}

/** Marks of the settings that have one or get one now. */
async function marksOf(
  { tx, tenantId }: TxContext,
  installId: number | undefined,
  { sensitive }: ReadSettings,
): Promise<Map<string, string>> {
  const known = installId === undefined ? [] : await listSecrets(tx, tenantId, installId)
  const marks = new Map(known.map(({ name, mark }) => [name, mark]))
  for (const name of sensitive.keys()) if (!marks.has(name)) marks.set(name, newMark())
  return marks
}

async function keepBeside(
  { tx, tenantId, services }: TxContext,
  { pack, manifest }: Wanted,
  { draft }: Installed,
  { values, sensitive }: ReadSettings,
  marks: ReadonlyMap<string, string>,
): Promise<void> {
  const installId = draft.row.definitionId
  await putInstall(tx, tenantId, { installId, packId: pack.packId, pack: pack.internalName, version: manifest.version, settings: values })
  const tenant = { tenantId, sealedKey: mustExist(await findTenantKey(tx, tenantId), 'tenant') }
  for (const [name, value] of sensitive) {
    const sealedValue = services.secrets.sealText(tenant, boundTo(installId, name), value)
    await putSecret(tx, tenantId, installId, { name, mark: marks.get(name) ?? newMark(), sealedValue })
  }
}

/** The sensitive settings that an install has, opened. */
async function openKept({ tx, tenantId, services }: TxContext, installId: number): Promise<Map<string, string>> {
  const rows = await findSealed(tx, tenantId, installId)
  if (rows.length === 0) return new Map()
  const tenant = { tenantId, sealedKey: mustExist(await findTenantKey(tx, tenantId), 'tenant') }
  return new Map(rows.map(({ name, sealedValue }) => [name, services.secrets.unsealText(tenant, boundTo(installId, name), sealedValue)]))
}

/** Installs a version of a pack. Inside `changing`. Throws 400 for settings, 403 for roles, 409 for the name, 422 for what is absent or cannot run. */
export async function installPack(context: TxContext, wanted: Wanted, internalName: string): Promise<Installed> {
  const { manifest } = wanted
  const read = mustRead(wanted)
  refuseGrant(context.actor.roleFlag, flagOf(manifest.roles ?? []))
  await refuseAbsent(context, wanted, read.values)
  await refuseUnfit(context, wanted, read.values)
  const marks = await marksOf(context, undefined, read)
  const { body, secrets, places } = make(wanted, read, marks)
  const head = { internalName, description: manifest.description ?? '' }
  const installed = await told(wanted, places, () => addInstall(context, head, body, secrets))
  await keepBeside(context, wanted, installed, read, marks)
  return installed
}

/**
 * Other settings or another version of an install; what was not sent of sensitive settings stays, also what this version asks for no more: runs of the one
 * before still hold its mark. Null takes one away from these runs too. Inside `changing`. Throws as `installPack`.
 */
export async function reinstallPack(context: TxContext, before: Draft, wanted: Wanted): Promise<Installed> {
  const { manifest } = wanted
  const installId = before.row.definitionId
  const declared = new Set((manifest.settings ?? []).flatMap(({ name, isSensitive }) => (isSensitive === true ? [name] : [])))
  const withdrawn = new Set(Object.entries(wanted.settings).flatMap(([name, value]) => (value === null ? [name] : [])))
  const known = (await listSecrets(context.tx, context.tenantId, installId)).filter(({ name }) => !withdrawn.has(name))
  const kept = new Set(known.flatMap(({ name }) => (declared.has(name) ? [name] : [])))
  const read = mustRead(wanted, kept)
  refuseGrant(context.actor.roleFlag, flagOf(manifest.roles ?? []))
  await refuseAbsent(context, wanted, read.values)
  await refuseUnfit(context, wanted, read.values)
  const marks = await marksOf(context, installId, read)
  for (const name of marks.keys()) if (!declared.has(name) || withdrawn.has(name)) marks.delete(name)
  const sealed = await openKept(context, installId)
  for (const name of withdrawn) sealed.delete(name)
  const { body, secrets, places } = make(wanted, read, marks, sealed)
  const installed = await told(wanted, places, () => changeInstall(context, before, body, secrets))
  await keepBeside(context, wanted, installed, read, marks)
  await deleteSecretsBut(context.tx, context.tenantId, installId, [...known.map(({ name }) => name), ...marks.keys()])
  return installed
}
