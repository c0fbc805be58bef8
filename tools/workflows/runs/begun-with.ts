/** What a run begins with: its input and the record that it is about. */
import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'
import { keysInBody, documentOf, liveRecordId, readFrame } from '#tools/query/service.ts'

import { listIn, valueAt } from '../definition/definition.types.ts'
import { readTyped } from '../values/typed.rules.ts'
import type { FlowVersion, Said } from './runs.types.ts'

/** Throws 400 for input that the workflow does not have or that is of another type, and for what it requires. */
export function readInput({ input = [], triggers = [] }: Pick<FlowVersion, 'input' | 'triggers'>, said: Said): Said {
  // What a trigger by hand asks for beside what every start does.
  const own = triggers.filter(({ triggerType, isEnabled }) => triggerType === 'manual' && isEnabled !== false)
  const asked = own.flatMap((one) => listIn(valueAt(one['config'], 'input'))) as NonNullable<FlowVersion['input']>
  const fields = [...new Map([...asked, ...input].map((field) => [field.name, field])).values()]
  const names = fields.map(({ name }) => name)
  const unknown = Object.keys(said).filter((name) => !names.includes(name))
  const missing = fields.filter(({ name, isRequired }) => isRequired === true && (said[name] ?? null) === null)
  const read = fields.map((field) => {
    const raw = said[field.name] ?? null
    return { name: field.name, ...(raw === null ? { value: null } : readTyped(field, raw)) }
  })
  const issues = [
    ...unknown.map((name) =>
      finding(`$.input.${name}`, `The workflow has no input ${quoted(name)}.`, { suggestion: nearest(name, names) }),
    ),
    ...missing.map(({ name }) => finding(`$.input.${name}`, 'Required.')),
    ...read.flatMap((one) => ('problem' in one ? [finding(`$.input.${one.name}`, one.problem)] : [])),
  ]
  const [first] = issues
  if (first) throw new AppError('invalid_input', `The input does not fit: ${first.path} ${first.message}`, { issues })
  return Object.fromEntries(read.flatMap((one) => ('problem' in one ? [] : [[one.name, one.value]])))
}

interface Named {
  readonly eiRecordId?: number | undefined
  readonly entity?: string | number | undefined
  readonly key1?: string | undefined
  readonly key2?: string | undefined
  readonly key3?: string | undefined
}

/** The record that the run is about, which the caller sees. Throws 400 where there is none, and where the workflow is about another entity, or about none. */
export async function recordOf(context: TxContext, version: Pick<FlowVersion, 'entity'>, { eiRecordId, entity, ...keys }: Named) {
  const isKeyed = Object.values(keys).some((one) => one !== undefined)
  const isNamed = eiRecordId !== undefined || isKeyed
  if (version.entity === undefined && !isNamed) return undefined
  const { entity: own = '' } = version
  const refuse = (path: string, message: string) => new AppError('invalid_input', message, { issues: [finding(path, message)] })
  if (own === '') throw refuse('$.eiRecordId', 'The workflow is about no record: leave it out.')
  if (!isNamed) throw refuse('$.eiRecordId', `The workflow is about a record of ${own}: name it by eiRecordId or by its key.`)
  if (eiRecordId !== undefined && isKeyed) throw refuse('$.key1', 'Name the record by eiRecordId or by its key, not by both.')
  const frame = await readFrame(context, entity ?? own)
  const { entityId, internalName } = frame.entity
  if (internalName !== own) throw refuse('$.entity', `The workflow is about records of ${own}, not of ${internalName}.`)
  if (eiRecordId !== undefined) {
    try {
      return { entityId, eiRecordId: await liveRecordId(context, frame, eiRecordId) }
    } catch (error) {
      // It is named in the body.
      if (!(error instanceof AppError) || error.code !== 'not_found') throw error
      throw refuse('$.eiRecordId', `There is no record ${eiRecordId} of ${own}.`)
    }
  }
  const document = await documentOf(context, frame, { keys: keysInBody(keys) })
  if (document === undefined) throw refuse('$.key1', `There is no record of ${own} with this key.`)
  // A document is JSON of a record.
  return { entityId, eiRecordId: (JSON.parse(document) as { readonly eiRecordId: number }).eiRecordId }
}
