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

const chequered = (side: number) => [
  [side, side],
  [0, side, side, 0],
]

/**
 * Of areas, by the place of their series. None is rotated, which takes a hundred times as long to be painted: a stripe that leans is drawn as one that leans,
 * in a square that it fills to the corners.
 */
export const decals = [
  { symbol: 'path://M0,8L0,6L6,0L8,0ZM6,8L8,6L8,8Z', dashArrayX: [8, 0], dashArrayY: [8, 0] },
  { symbol: 'circle', symbolSize: 0.8, dashArrayX: chequered(8), dashArrayY: [6, 0] },
  { symbol: 'path://M0,0L4,0L8,4L8,8ZM0,4L0,8L4,8Z', dashArrayX: [10, 0], dashArrayY: [10, 0] },
  { symbol: 'rect', dashArrayX: chequered(6), dashArrayY: [6, 0] },
  {
    symbol: 'rect',
    dashArrayX: [
      [1, 0],
      [1, 6],
    ],
    dashArrayY: [1, 0, 6, 0],
  },
  { symbol: 'triangle', symbolSize: 0.75, dashArrayX: chequered(9), dashArrayY: [7, 2] },
].map((decal) => ({ ...decal, color: 'rgba(0, 0, 0, 0.2)' }))
