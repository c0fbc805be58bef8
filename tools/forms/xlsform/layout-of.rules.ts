/** The properties and the layout of an XLSForm that was read. */
import { quoted } from '#platform/suggest.ts'
import type { Body } from '#tools/definitions/service.ts'
import type { PortableProperty } from '#tools/properties/properties.schema.ts'

import { both } from './carry.rules.ts'
import { type Carrying, changed, relevanceOf, relevanceOfGroups, type Relevance, scopeOf, tell } from './carrying.rules.ts'
import { cell, type GroupRow, type Home, isQuestion, type NotCarried, type Survey, type Tenant } from './convert.rules.ts'
import { numberer } from './naming.rules.ts'
import { carryQuestion } from './question.rules.ts'
import { layoutText, textsOf } from './rows.rules.ts'

export interface Carried {
  readonly properties: readonly PortableProperty[]
  readonly layout: Body
  readonly notCarried: readonly NotCarried[]
}

function* listOf(carrying: Carrying, home: Home, name: string): Generator<void, Body> {
  const { survey } = carrying
  const row = home.row ?? { line: 0, cells: new Map<string, string>() }
  const scope = scopeOf(carrying, survey.form)
  const around = relevanceOfGroups(carrying, scope, home.group)
  const own = relevanceOf(carrying, scope, row, name)
  const when = both(around.when, own.when)
  const count = cell(row, 'repeat_count')
  const max = /^\d{1,4}$/.test(count) && Number(count) >= 1 && Number(count) <= 1_000 ? Number(count) : undefined
  if (count !== '' && max === undefined) tell(carrying, { row, name }, 'repeat_count', `${quoted(count)} is no number from 1 to 1,000.`)
  const title = layoutText(textsOf(row, 'label'), survey.usualLanguage, changed(scope))
  const fields: Body[] = []
  for (const part of home.parts)
    if (isQuestion(part)) fields.push(yield* carryQuestion(carrying, part, home, { when: undefined, isLost: false }))
  return {
    type: 'list',
    name,
    ...(title === undefined ? {} : { title }),
    entity: home.entity,
    fields,
    ...(max === undefined ? {} : { max }),
    ...(when ? { visibleWhen: when } : {}),
  }
}

/** A repeat inside a repeat has its entity, and no place in this form. */
function* carryDeeper(carrying: Carrying, home: Home): Generator<void, void> {
  for (const part of home.parts) {
    if (isQuestion(part) || !part.row) continue
    tell(
      carrying,
      { row: part.row, name: cell(part.row, 'name') },
      'begin_repeat',
      `A list holds no other list: ${part.entity} is a child of ${home.entity}, and is entered by a form of its own.`,
    )
    for (const inner of part.parts) if (isQuestion(inner)) yield* carryQuestion(carrying, inner, part, { when: undefined, isLost: false })
    yield* carryDeeper(carrying, part)
  }
}

/** Carries the whole survey, pausing after each part. */
export function* carrySurvey(survey: Survey, tenant: Tenant, isPaged: boolean): Generator<void, Carried> {
  const carrying: Carrying = { survey, tenant, properties: [], notCarried: [...survey.notCarried], options: new Map() }
  const scope = scopeOf(carrying, survey.form)
  const sections: (Body & { fields: Body[] })[] = []
  const names = new Set<string>()
  const free = numberer('')
  const nameFor = (said: string) => {
    const base = /^[A-Za-z]\w{0,57}$/.test(said) ? said : 'section'
    const name = free(base, (one) => names.has(one.toLowerCase()))
    names.add(name.toLowerCase())
    return name
  }
  let open: { readonly group: GroupRow | undefined; readonly fields: Body[]; readonly relevance: Relevance } | undefined
  const told = new Set<GroupRow>()
  for (const part of survey.form.parts) {
    yield
    if (!isQuestion(part)) {
      open = undefined
      if (part.parts.some(isQuestion))
        sections.push(
          (yield* listOf(carrying, part, nameFor(cell(part.row ?? { line: 0, cells: new Map() }, 'name')))) as Body & { fields: Body[] },
        )
      yield* carryDeeper(carrying, part)
      continue
    }
    if (!open || open.group !== part.group) {
      for (let group = part.group; group && !told.has(group); group = group.outer) {
        told.add(group)
        relevanceOf(carrying, scope, group.row, group.name)
      }
      const relevance = relevanceOfGroups(carrying, scope, part.group)
      const title = part.group && layoutText(textsOf(part.group.row, 'label'), survey.usualLanguage, changed(scope))
      const fields: Body[] = []
      sections.push({
        type: 'detail',
        name: nameFor(part.group?.name ?? 'main'),
        ...(title === undefined ? {} : { title }),
        ...(relevance.when ? { visibleWhen: relevance.when } : {}),
        fields,
      })
      open = { group: part.group, fields, relevance }
    }
    open.fields.push(yield* carryQuestion(carrying, part, survey.form, open.relevance))
  }
  const layout = {
    entity: survey.form.entity,
    binding: { type: 'entity', name: survey.form.entity },
    ...(isPaged ? { pages: 'section' } : {}),
    sections,
  }
  return { properties: carrying.properties, layout, notCarried: carrying.notCarried }
}
