/** An answer as the operations of forms take it, and what of it counts. */
import type { z } from 'zod'

import type { Issue } from '#platform/errors.ts'

import type { linkAnswer } from './links.schema.ts'

type Said = z.output<typeof linkAnswer>

/** The call that saves an answer. */
export interface Answered {
  readonly operation: string
  readonly input: Readonly<Record<string, unknown>>
  /** The values in it, with where they stand in the answer. */
  readonly records: readonly {
    readonly path: string
    /** Of a row: the list that it is in, as the answer names it. */
    readonly section?: string
    readonly values: Readonly<Record<string, unknown>>
  }[]
  readonly said: Pick<Said, 'values' | 'sections'>
  readonly link: Target
}

interface Target {
  readonly formId: number
  readonly eiRecordId: number | null
}

export function callOf(link: Target, said: Pick<Said, 'values' | 'sections'>): Answered {
  const { formId: form, eiRecordId } = link
  const { values = {}, sections } = said
  const record = eiRecordId === null ? {} : { record: String(eiRecordId) }
  const verb = eiRecordId === null ? 'create' : 'update'
  const rows = Object.entries(sections ?? {}).flatMap(([name, { rows: some = [] }]) =>
    some.map((row, index) => ({ path: `$.sections.${name}.rows[${index}].values`, section: name, values: row.values })),
  )
  return {
    ...(sections === undefined
      ? { operation: `${verb}_form_record`, input: { form, ...record, values } }
      : { operation: `${verb}_form_record_multi`, input: { form, ...record, primary: { values }, sections } }),
    records: [{ path: '$.values', values }, ...rows],
    said,
    link,
  }
}

const hidden = /\bis hidden as the record stands\b/

/** The same without what was refused for being hidden: a form on a screen may still hold it. Undefined where nothing of the kind was refused. */
export function withoutHidden({ link, said }: Answered, issues: readonly Issue[]): Answered | undefined {
  const paths = issues.filter(({ message }) => hidden.test(message)).map(({ path }) => path)
  if (paths.length === 0) return undefined
  const values = { ...said.values }
  const sections = new Map(
    Object.entries(said.sections ?? {}).map(([name, section]) => [
      name,
      { ...section, rows: section.rows?.map((row) => ({ ...row, values: { ...row.values } })) },
    ]),
  )
  for (const path of paths) {
    const [, own] = /^\$(?:\.primary)?\.values\.(\w+)$/.exec(path) ?? []
    const [, section = '', row, property] = /^\$\.sections\.(\w+)(?:\.rows\[(\d+)\]\.values\.(\w+))?$/.exec(path) ?? []
    if (own !== undefined) delete values[own]
    else if (property !== undefined) delete sections.get(section)?.rows?.[Number(row)]?.values[property]
    else sections.delete(section)
  }
  const lists = [...sections].map(([name, { rows, ...rest }]) => [name, { ...rest, ...(rows === undefined ? {} : { rows }) }] as const)
  return callOf(link, { values, ...(said.sections === undefined ? {} : { sections: Object.fromEntries(lists) }) })
}
