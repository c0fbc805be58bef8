/** Medians and percentiles. */

export function percentile(values: readonly number[], share: number): number {
  if (values.length === 0) throw new Error('Nothing was measured')
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)] ?? Number.NaN
}

export function median(values: readonly number[]): number {
  return percentile(values, 0.5)
}

/** Three significant digits at most. */
export function round(value: number): number {
  return Number(value.toPrecision(3))
}
