/** Semantic versions as texts that sort as the versions do. */

const padded = (digits: string) => digits.padStart(9, '0')

/** A release comes behind its previews: "~" behind "-". */
export function sortKeyOf(version: string): string {
  const [numbers = '', ...rest] = version.split('-')
  const key = numbers.split('.').map(padded).join('.')
  if (rest.length === 0) return `${key}~`
  const preview = rest.join('-').split('.')
  return `${key}-${preview.map((part) => (/^\d+$/.test(part) ? padded(part) : part)).join('.')}`
}
