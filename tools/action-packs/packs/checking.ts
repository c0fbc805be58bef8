/** What is wrong with a manifest, as far as it can be told before somebody's settings are in it. */
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { eachInTurns, inTurns } from '#platform/turns.ts'
import { type Finding, finding, readDraft, refuseErrors } from '#platform/validation.ts'
import { loadReferences, readDisplays } from '#tools/properties/service.ts'
import { findComposedProblems, inOrder, stepsIn, withTypesNamed } from '#tools/workflows/service.ts'

import { findUnknownSettings, gathered, placesOfSettings } from '../composing.rules.ts'
import { manifest as grammar, type Manifest } from '../manifest.schema.ts'
import { findDeclaredProblems } from '../settings.rules.ts'

const forPeople = ['form', 'approval']

/** Packs ask people by message: nobody has a page for their steps. */
function findTaskProblems(steps: Manifest['steps']): Finding[] {
  return [...stepsIn(withTypesNamed(steps))].flatMap(({ name, stepType }) =>
    forPeople.includes(stepType) ? [finding('$.steps', `${name} is a step ${stepType}, which a pack has none of. Use ask.`)] : [],
  )
}

/** Sensitive values stay with what calls outside. */
function findLeaks({ settings = [], steps }: Manifest): Finding[] {
  const names = settings.flatMap(({ name, isSensitive }) => (isSensitive === true ? [name] : []))
  if (names.length === 0) return []
  return [...stepsIn(withTypesNamed(steps))].flatMap(({ name, said, stepType, config }) => {
    const { steps: _steps, lanes: _lanes, ...own } = config
    const text = JSON.stringify(stepType === 'callHttp' ? { ...said, config: {} } : { ...said, config: own })
    const taken = new Set([...text.matchAll(/\$settings\.([A-Za-z0-9_]+)/g)].map(([, setting]) => setting))
    return names
      .filter((setting) => taken.has(setting))
      .map((setting) => finding('$.steps', `${name} takes the sensitive setting ${setting}, which callHttp alone may.`))
  })
}

const maxManifestCharacters = 256 * 1024

/** Everything that is wrong with a manifest whose form is right. Throws 413 where it is too long to be looked through. */
export async function findManifestProblems(context: TxContext, manifest: Manifest): Promise<readonly Finding[]> {
  const { settings = [], roles = [], entity, triggers, displays = [] } = manifest
  const { length } = JSON.stringify(manifest)
  if (length > maxManifestCharacters)
    throw new AppError('too_large', `A manifest takes at most ${maxManifestCharacters} characters as JSON, and this one ${length}.`)
  // Findings tell of steps where they stand in order.
  const steps = [...inOrder(manifest.steps)]
  const { findings: ofDisplays } = readDisplays(displays, await loadReferences(context.tx, context.tenantId), '$.displays')
  const open = await inTurns(
    gathered([...placesOfSettings(entity, ['entity']), ...placesOfSettings(steps, ['steps']), ...placesOfSettings(triggers, ['triggers'])]),
  )
  const ofFlow = await findComposedProblems(context, {
    ...(entity === undefined ? {} : { entity }),
    roles,
    settings: settings.map(({ name, dataType }) => ({ name, dataType })),
    steps,
    triggers,
  })
  // What a setting will say is checked once it is there.
  const isOpen = (path: string) =>
    path.includes('$settings.') || open.covers(path) || (/\.(?:config|filter|when)\b/.test(path) && open.liesUnder(path))
  const known: Finding[] = []
  await eachInTurns(ofFlow, (one) => {
    if (!isOpen(one.path)) known.push(one)
  })
  const { needs } = manifest
  const unknown = findUnknownSettings(
    { entity, triggers, steps, needs },
    settings.map(({ name }) => name),
  )
  return [...ofDisplays, ...findDeclaredProblems(settings), ...unknown, ...findTaskProblems(steps), ...findLeaks(manifest), ...known]
}

/** The warnings. Throws 422 with everything that is wrong. */
export async function mustBeSound(context: TxContext, manifest: Manifest): Promise<readonly Finding[]> {
  const findings = await findManifestProblems(context, manifest)
  const errors = findings.filter(({ severity }) => severity === 'error')
  const [first] = errors
  if (!first) return findings.slice(0, 50)
  throw new AppError('unprocessable', `The manifest cannot be kept. ${first.path}: ${first.message}`, { issues: errors.slice(0, 50) })
}

/** Throws 400 for what has not the form of a manifest. */
export function mustReadManifest(said: unknown): Manifest {
  const read = readDraft(grammar, said)
  if (read.isOk) return read.value
  refuseErrors(read.findings, 'The manifest', 'kept')
  throw new AppError('invalid_input', 'The manifest cannot be kept.')
}
