/**
 * Whether a condition of a layout holds of what is typed so far, as far as the form itself can tell: true, false, or undefined where the server must say
 * (other records, words for time). It only hides and asks; the server decides again.
 */

/** @typedef {{ type: string, value: unknown }} Answer */
/** @typedef {(property: string, entity: string | undefined) => Answer | undefined} Look */

/** @param {unknown} value */
function isEmpty(value) {
  return value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0)
}

const isNumeric = (/** @type {string} */ type) => type === 'Number' || type === 'Currency'
const isTime = (/** @type {string} */ type) => type === 'DateTime' || type === 'DateOnly' || type === 'TimeOnly'

/**
 * As it is compared: numbers and times by size, all else by its text.
 * @param {unknown} value
 * @param {string} type
 */
function comparable(value, type) {
  if (isNumeric(type)) return Number(value)
  if (type === 'DateTime') return Date.parse(String(value))
  if (type === 'TimeOnly') return String(value).padEnd(8, ':00')
  return String(value)
}

/** As the server lowers it: each character by itself. @param {unknown} value */
const lowered = (value) => String(value).replaceAll('\u0130', 'i').replaceAll('\u03a3', '\u03c3').toLowerCase()

/**
 * @param {string} op
 * @param {unknown} value one value, not empty
 * @param {unknown} wanted
 * @param {string} type
 * @returns {boolean | undefined}
 */
function compare(op, value, wanted, type) {
  const low = lowered(value)
  const search = lowered(wanted)
  if (op === 'contains') return low.includes(search)
  if (op === 'startsWith') return low.startsWith(search)
  if (op === 'endsWith') return low.endsWith(search)
  if (op === 'in') return Array.isArray(wanted) ? or(wanted.map((one) => compare('eq', value, one, type))) : undefined
  if (op === 'between') {
    if (!Array.isArray(wanted) || wanted.length !== 2) return undefined
    return and([compare('gte', value, wanted[0], type), compare('lte', value, wanted[1], type)])
  }
  // Words for time are the server's to read, and the order of texts is its collation's.
  const isWord = isTime(type) && !/^\d/.test(String(wanted))
  const isDayOfTime = type === 'DateTime' && /^\d{4}-\d\d-\d\d$/.test(String(wanted))
  if (isWord || isDayOfTime) return undefined
  if (op !== 'eq' && !isNumeric(type) && !isTime(type)) return undefined
  const [one, other] = [comparable(value, type), comparable(wanted, type)]
  if (typeof one === 'number' && (Number.isNaN(one) || Number.isNaN(other))) return undefined
  switch (op) {
    case 'eq':
      return one === other
    case 'gt':
      return one > other
    case 'gte':
      return one >= other
    case 'lt':
      return one < other
    case 'lte':
      return one <= other
    default:
      return undefined
  }
}

const opposite = /** @type {Record<string, string>} */ ({ ne: 'eq', notIn: 'in', notContains: 'contains' })

/** @param {(boolean | undefined)[]} parts */
const and = (parts) => (parts.includes(false) ? false : parts.includes(undefined) ? undefined : true)
/** @param {(boolean | undefined)[]} parts */
const or = (parts) => (parts.includes(true) ? true : parts.includes(undefined) ? undefined : false)
/** @param {boolean | undefined} one */
const not = (one) => (one === undefined ? undefined : !one)

/**
 * @param {any} rule
 * @param {Look} look
 * @returns {boolean | undefined}
 */
function ruleHolds(rule, look) {
  const answer = look(String(rule.property), rule.entity)
  if (!answer || /\[\[/.test(JSON.stringify(rule.value ?? ''))) return undefined
  const { type, value } = answer
  if (rule.op === 'isEmpty') return isEmpty(value)
  if (rule.op === 'isNotEmpty') return !isEmpty(value)
  const positive = opposite[rule.op]
  if (positive !== undefined) return not(ruleHolds({ ...rule, op: positive }, look))
  if (isEmpty(value)) return false
  const values = Array.isArray(value) ? value : [value]
  return or(values.map((one) => compare(rule.op, one, rule.value, type)))
}

/**
 * @param {any} condition a group, or an array of rules that must all hold
 * @param {Look} look
 * @returns {boolean | undefined}
 */
export function holds(condition, look) {
  if (condition === undefined || condition === null) return undefined
  const { logic = 'AND', rules = [], groups = [], entity } = Array.isArray(condition) ? { rules: condition } : condition
  if (entity !== undefined) return undefined
  const parts = [
    ...rules.map((/** @type {any} */ rule) => ruleHolds(rule, look)),
    ...groups.map((/** @type {any} */ group) => holds(group, look)),
  ]
  if (parts.length === 0) return true
  return logic === 'OR' ? or(parts) : and(parts)
}
