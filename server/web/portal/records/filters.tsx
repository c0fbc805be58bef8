/** Filters of a list, one line each; what is changed counts once it is applied. */
import { useState } from 'preact/hooks'

import { Choice, Line } from '../parts/basics.tsx'
import { texts } from '../texts/index.ts'
import { isChoice, isNumber, type Property } from './kinds.ts'
import { operatorOf, operatorsOf, type Rule, takesValue } from './list-state.rules.ts'

const words = texts.records

/** System fields beside the properties. */
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

export function Filters({
  fields,
  rules,
  onApply,
}: {
  fields: readonly Field[]
  rules: readonly Rule[]
  onApply: (rules: readonly Rule[]) => void
}) {
  const [draft, setDraft] = useState(rules)
  const fieldOf = (name: string) => fields.find((field) => field.name === name)
  const change = (at: number, next: Rule) => setDraft(draft.map((rule, place) => (place === at ? next : rule)))
  function first(field: Field | undefined): Rule {
    return { property: field?.name ?? '', op: operatorsOf(field?.type ?? 'Text')[0] ?? 'eq', value: '' }
  }
  return (
    <form
      class="filters"
      onSubmit={(event) => {
        event.preventDefault()
        onApply(draft.filter(({ op, value }) => !takesValue(op) || value.trim() !== ''))
      }}
    >
      {draft.map((rule, at) => (
        <fieldset>
          <legend class="hidden">{words.filterNumber(at + 1)}</legend>
          <div class="bar-of-list">
            <Choice
              label={words.property}
              value={rule.property}
              onValue={(name) => change(at, first(fieldOf(name)))}
              options={fields.map(({ name, label }) => ({ value: name, label }))}
            />
            <Choice
              label={words.comparison}
              value={rule.op}
              onValue={(op) => change(at, { ...rule, op: operatorOf(op) ?? rule.op })}
              options={operatorsOf(fieldOf(rule.property)?.type ?? 'Text').map((op) => ({ value: op, label: words.operators[op] ?? op }))}
            />
            <ValueField field={fieldOf(rule.property)} rule={rule} onValue={(value) => change(at, { ...rule, value })} />
            <button
              type="button"
              aria-label={`${texts.remove}: ${words.filterNumber(at + 1)}`}
              onClick={() => setDraft(draft.filter((_, place) => place !== at))}
            >
              {texts.remove}
            </button>
          </div>
        </fieldset>
      ))}
      <p class="acts">
        <button type="button" onClick={() => setDraft([...draft, first(fields[0])])}>
          {words.addFilter}
        </button>
        {(draft.length > 0 || rules.length > 0) && <button class="main">{words.apply}</button>}
      </p>
    </form>
  )
}
