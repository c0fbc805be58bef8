/**
 * The colours of charts, by what they are for. Those of series keep 3 to 1 against the ground, are told apart without red and green, and never stand alone:
 * areas have patterns, lines have dashes and symbols.
 */
export const palette = {
  ground: '#ffffff',
  text: '#1f2933',
  quietText: '#52606d',
  grid: '#d5dbe1',
  series: [
    '#0b6bb0',
    '#c2500b',
    '#0a7a55',
    '#9c3f78',
    '#5a3fa0',
    '#7a5c00',
    '#5f6b76',
    '#9f1d35',
    '#0f6f7c',
    '#3b4652',
    '#8a4b20',
    '#2f5d1e',
  ],
} as const

/** Of lines, by the place of their series: strokes and gaps, and the mark of a point. */
export const dashes: readonly (readonly number[] | 'solid')[] = ['solid', [8, 4], [2, 3], [10, 3, 2, 3], [14, 4], [6, 2, 2, 2, 2, 2]]
export const symbols = ['circle', 'rect', 'triangle', 'diamond', 'roundRect', 'pin', 'arrow'] as const
