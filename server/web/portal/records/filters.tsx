/** Filters of a list, one line each, in groups of which all or any must hold; what is changed counts once it is applied. */
import { useState } from 'preact/hooks'

import { Choice, Line } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'
import { finished, type Group, isEmptyGroup, mostLevels, noFilter, operatorOf, operatorsOf, type Rule, takesValue } from './filter.rules.ts'
import { isChoice, isNumber, type Property } from './kinds.ts'

const words = texts.records

/** System fields beside the properties, and the properties of related kinds as `Entity.Property`. */
export interface Field {
  readonly name: string
  readonly label: string
  readonly type: Property['type']
  readonly options?: Property['options']
}

function ValueField({ field, rule, onValue }: { field: Field | undefined; rule: Rule; onValue: (value: string) => void }) {
  if (!takesValue(rule.op)) return null
  const label = words.value
  const type = field?.type ?? 'Text'
  if (type === 'Boolean') {
    const options = [
      { value: 'true', label: texts.yes },
      { value: 'false', label: texts.no },
    ]
    return <Choice label={label} value={rule.value} onValue={onValue} options={[{ value: '', label: words.choose }, ...options]} />
  }
  if (isChoice(type) && field?.options) {
    const options = field.options.map(({ internalName, name }) => ({ value: internalName, label: name }))
    return <Choice label={label} value={rule.value} onValue={onValue} options={[{ value: '', label: words.choose }, ...options]} />
  }
  const isDay = type === 'DateOnly' || type === 'DateTime'
  return (
    <Line
      label={label}
      value={rule.value}
      onValue={onValue}
      maxLength={1_000}
      {...(isDay ? { type: 'date' as const } : {})}
      {...(isNumber(type) ? { inputMode: 'numeric' as const } : {})}
    />
  )
}

function firstRule(field: Field | undefined): Rule {
  return { property: field?.name ?? '', op: operatorsOf(field?.type ?? 'Text')[0] ?? 'eq', value: '' }
}

interface PartFacts {
  readonly fields: readonly Field[]
  /** As it is numbered: `2`, or `2.1` in a group. */
  readonly place: string
  readonly onRemove: () => void
}

function RuleLine({ fields, rule, place, onRule, onRemove }: PartFacts & { rule: Rule; onRule: (rule: Rule) => void }) {
  const field = fields.find(({ name }) => name === rule.property)
  return (
    <fieldset>
      <legend class="hidden">{words.filterNumber(place)}</legend>
      <div class="bar-of-list">
        <Choice
          label={words.property}
          value={rule.property}
          onValue={(name) => onRule(firstRule(fields.find((one) => one.name === name)))}
          options={[
            ...(field ? [] : [{ value: rule.property, label: rule.property }]),
            ...fields.map(({ name, label }) => ({ value: name, label })),
          ]}
        />
        <Choice
          label={words.comparison}
          value={rule.op}
          onValue={(op) => onRule({ ...rule, op: operatorOf(op) ?? rule.op })}
          options={operatorsOf(field?.type ?? 'Text').map((op) => ({ value: op, label: words.operators[op] ?? op }))}
        />
        <ValueField field={field} rule={rule} onValue={(value) => onRule({ ...rule, value })} />
        <button type="button" aria-label={`${texts.remove}: ${words.filterNumber(place)}`} onClick={onRemove}>
          {texts.remove}
        </button>
      </div>
    </fieldset>
  )
}

const changedAt = <T,>(all: readonly T[], at: number, next: T) => all.map((one, place) => (place === at ? next : one))
const without = <T,>(all: readonly T[], at: number) => all.filter((_, place) => place !== at)

function GroupParts({
  fields,
  group,
  level,
  before,
  onGroup,
  onAdd,
}: {
  fields: readonly Field[]
  group: Group
  level: number
  /** What stands before the numbers of its parts. */
  before: string
  onGroup: (group: Group) => void
  onAdd: () => void
}) {
  const { logic, rules, groups } = group
  return (
    <>
      {(level > 1 || rules.length + groups.length > 1) && (
        <Choice
          label={words.logic}
          value={logic}
          onValue={(value) => onGroup({ ...group, logic: value === 'OR' ? 'OR' : 'AND' })}
          options={[
            { value: 'AND', label: words.all },
            { value: 'OR', label: words.any },
          ]}
        />
      )}
      {rules.map((rule, at) => (
        <RuleLine
          fields={fields}
          rule={rule}
          place={`${before}${at + 1}`}
          onRule={(next) => onGroup({ ...group, rules: changedAt(rules, at, next) })}
          onRemove={() => onGroup({ ...group, rules: without(rules, at) })}
        />
      ))}
      {groups.map((inner, at) => {
        const place = `${before}${rules.length + at + 1}`
        return (
          <fieldset class="card">
            <legend>{words.groupNumber(place)}</legend>
            <GroupParts
              fields={fields}
              group={inner}
              level={level + 1}
              before={`${place}.`}
              onGroup={(next) => onGroup({ ...group, groups: changedAt(groups, at, next) })}
              onAdd={onAdd}
            />
            <p class="acts">
              <button type="button" onClick={() => onGroup({ ...group, groups: without(groups, at) })}>
                {`${texts.remove}: ${words.groupNumber(place)}`}
              </button>
            </p>
          </fieldset>
        )
      })}
      <p class="acts">
        <button
          type="button"
          onClick={() => {
            onAdd()
            onGroup({ ...group, rules: [...rules, firstRule(fields[0])] })
          }}
        >
          {words.addFilter}
        </button>
        {level < mostLevels && rules.length + groups.length > 0 && (
          <button
            type="button"
            onClick={() => {
              onAdd()
              const inner: Group = { logic: logic === 'AND' ? 'OR' : 'AND', rules: [firstRule(fields[0])], groups: [] }
              onGroup({ ...group, groups: [...groups, inner] })
            }}
          >
            {words.addGroup}
          </button>
        )}
      </p>
    </>
  )
}

export function Filters({
  fields,
  filter,
  onApply,
  onOpen,
}: {
  fields: readonly Field[]
  filter: Group
  onApply: (filter: Group) => void
  /** Somebody is about to filter: time to know what the properties of related kinds are. */
  onOpen: () => void
}) {
  const [draft, setDraft] = useState(filter)
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        onApply(finished(draft))
      }}
    >
      <GroupParts fields={fields} group={draft} level={1} before="" onGroup={setDraft} onAdd={onOpen} />
      {(!isEmptyGroup(draft) || !isEmptyGroup(filter)) && (
        <p class="acts">
          <button class="main">{words.apply}</button>
          {!isEmptyGroup(filter) && (
            <button
              type="button"
              onClick={() => {
                setDraft(noFilter)
                onApply(noFilter)
              }}
            >
              {words.noFilters}
            </button>
          )}
        </p>
      )}
    </form>
  )
}
