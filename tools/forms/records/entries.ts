/** Records as they are sent through a form, understood: names and values held against the properties, before the form decides. */
import { finding, type Finding } from '#platform/findings.ts'
import { maxIssues } from '#platform/issues.ts'
import { mapInTurns } from '#platform/turns.ts'
import { propertyIndex, type CatalogEntity, type CatalogProperty } from '#tools/entities/catalog.types.ts'
import type { Value } from '#tools/properties/service.ts'
import { readWishes, type SaveWish, toWish } from '#tools/instances/service.ts'
import { unknownProperty } from '#tools/query/service.ts'

import type { Decision, Sent } from './decide.rules.ts'
import { onWire } from './held.rules.ts'
import type { FormRow } from './records.schema.ts'
import type { ReadyField } from './ready.ts'

/** A row with where it stands and what it is about. */
export interface SentRow {
  readonly row: FormRow
  /** Of the row in the body: `$`, `$.primary` or `$.sections.visits.rows[2]`. */
  readonly path: string
  /** The record that it changes; undefined: it makes one. */
  readonly id: number | undefined
  /** Under whom it stands, where that is not for the row to say. */
  readonly parentId?: number | undefined
}

export interface UnderstoodRow extends SentRow, Omit<Sent, 'path'> {
  readonly raw: ReadonlyMap<CatalogProperty, unknown>
  readonly findings: readonly Finding[]
}

const byData = (path: string) => `${path}.data`

/** A finding of a save under the path that the row has in the body of a form. */
export function inForm(path: string, one: Finding): Finding {
  const data = byData(path)
  return one.path === data || one.path.startsWith(`${data}.`) ? { ...one, path: `${path}.values${one.path.slice(data.length)}` } : one
}

function wishOf(
  entity: CatalogEntity,
  { row, path, id, parentId }: SentRow,
  data: Readonly<Record<string, unknown>>,
  at: { readonly index: number } & Pick<Parameters<typeof toWish>[2], 'patterns' | 'parsed'>,
): SaveWish {
  const { key1, key2, key3, parentKey1, parentKey2, parentKey3, parentEntity, parentEIRecordId, expectedRowHash } = row
  const parent =
    parentId === undefined ? { parentKey1, parentKey2, parentKey3, parentEntity, parentEIRecordId } : { parentEIRecordId: parentId }
  const said = {
    key1,
    key2,
    key3,
    ...parent,
    expectedRowHash,
    data: { ...data },
    importMode: id === undefined ? ('insertOnly' as const) : ('upsert' as const),
  }
  return toWish(entity, said, { ...at, path, targetId: id })
}

/** What each row says. A value that is none is told, and the row goes on without it. */
export async function understand(
  entity: CatalogEntity,
  fieldOf: ReadonlyMap<CatalogProperty, ReadyField>,
  rows: readonly SentRow[],
): Promise<UnderstoodRow[]> {
  const index = propertyIndex(entity.properties)
  const known = [...fieldOf.keys()].map((property) => property.internalName)
  let told = 0
  const named = await mapInTurns(rows, ({ row, path }) => {
    const names = new Map<CatalogProperty, string>()
    const raw = new Map<CatalogProperty, unknown>()
    const findings: Finding[] = []
    for (const [name, value] of Object.entries(row.values)) {
      const property = index.get(name) ?? index.get(name.toLowerCase())
      if (property && names.has(property)) findings.push(finding(`${path}.values.${name}`, `${property.internalName} is named twice.`))
      else if (property) {
        names.set(property, name)
        raw.set(property, value)
      } else if (told++ < maxIssues) findings.push(unknownProperty('The form', name, known, `${path}.values.${name}`))
    }
    return { names, raw, findings }
  })
  const wishes = await readWishes(rows, (row, at, means) => {
    const data = Array.from(named[at]?.raw ?? [], ([property, value]) => [named[at]?.names.get(property) ?? property.internalName, value])
    return wishOf(entity, row, Object.fromEntries(data), { index: at, ...means })
  })
  return mapInTurns(rows, (row, at) => {
    const { names = new Map(), raw = new Map(), findings = [] } = named[at] ?? {}
    const wish = wishes[at]
    return {
      ...row,
      names,
      raw,
      values: wish?.values ?? new Map<number, Value>(),
      findings: [...findings, ...(wish?.issues ?? []).map((one) => inForm(row.path, one))],
    }
  })
}

/** What is to be saved of each row, as the form has decided; undecided, what it says beside its values. */
export async function wishesOf(
  entity: CatalogEntity,
  rows: readonly { readonly understood: UnderstoodRow; readonly decision: Decision | undefined }[],
): Promise<SaveWish[]> {
  return readWishes(rows, ({ understood, decision }, index, means) => {
    const said = [...(decision?.kept ?? [])].flatMap((property) =>
      understood.values.has(property.entityPropertyId) ? [[property.internalName, understood.raw.get(property)] as const] : [],
    )
    const added = Array.from(decision?.added ?? [], ([property, value]) => [property.internalName, onWire(property, value)] as const)
    return wishOf(entity, understood, Object.fromEntries([...added, ...said]), { index, ...means })
  })
}
