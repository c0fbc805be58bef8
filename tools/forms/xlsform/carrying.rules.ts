/** What the parts of an XLSForm share while they are carried: what has been made, what is told, and what names mean where they stand. */
import { quoted } from '#platform/suggest.ts'
import type { PortableProperty } from '#tools/properties/properties.schema.ts'

import { both, carryCondition, type Group, type Scope, tokenOf } from './carry.rules.ts'
import { cell, type GroupRow, type Home, type NotCarried, type Survey, type Tenant } from './convert.rules.ts'
import type { SheetRow } from './rows.rules.ts'

export interface Carrying {
  readonly survey: Survey
  readonly tenant: Tenant
  readonly properties: PortableProperty[]
  readonly notCarried: NotCarried[]
  /** Of the lists of choices, each made once. */
  readonly options: Map<readonly SheetRow[], NonNullable<PortableProperty['propertyOptions']>>
}

/** Of a part, with those around it. */
export interface Relevance {
  readonly when: Group | undefined
  /** Some of it is not carried. */
  readonly isLost: boolean
}

export function tell(
  { notCarried }: Carrying,
  { row, name }: { readonly row: SheetRow; readonly name?: string },
  what: string,
  reason: string,
): void {
  notCarried.push({ row: row.line, sheet: 'survey', ...(name === undefined ? {} : { question: name }), what, reason })
}

export function scopeOf({ survey }: Carrying, home: Home): Scope {
  return {
    entity: home.entity,
    form: survey.form.entity,
    find(name) {
      const namesakes = survey.questions.get(name)
      const [first] = namesakes?.values() ?? []
      return (namesakes?.get(home.entity) ?? first)?.asked
    },
  }
}

/** The relevance of a row; undefined where it has none or is not carried, which is told. */
export function relevanceOf(carrying: Carrying, scope: Scope, row: SheetRow, name: string): Relevance {
  const said = cell(row, 'relevant')
  if (said === '') return { when: undefined, isLost: false }
  const when = carryCondition(said, scope)
  if (!when) tell(carrying, { row, name }, 'relevant', `${quoted(said)} cannot be a filter here: it is always shown.`)
  return { when, isLost: !when }
}

/** The relevances of a group and of those around it. */
export function relevanceOfGroups(carrying: Carrying, scope: Scope, group: GroupRow | undefined): Relevance {
  if (!group) return { when: undefined, isLost: false }
  const outer = relevanceOfGroups(carrying, scope, group.outer)
  const said = cell(group.row, 'relevant')
  const own = said === '' ? undefined : carryCondition(said, scope)
  return { when: both(outer.when, own), isLost: outer.isLost || (said !== '' && !own) }
}

/** A text of the form, with our tokens for its own. */
export function changed(scope: Scope) {
  return (text: string) =>
    text.replaceAll('[[', String.raw`\[[`).replaceAll(/\$\{\s*([^}\s$]+)\s*\}/g, (_, name: string) => tokenOf(name, scope) ?? '…')
}
