/** Colours as themes name them, and whether they are told apart. */

export type Rgb = readonly [red: number, green: number, blue: number]

/** WCAG 2.2 asks for it of text of ordinary size. */
export const leastContrast = 4.5

/** What lies behind text on our pages; the colours of tokens.css. */
export const pageGrounds = { light: ['#ffffff', '#f6f7f5'], dark: ['#181f1c', '#101513'] } as const

export function readColour(text: string): Rgb | undefined {
  const short = /^#([0-9a-f])([0-9a-f])([0-9a-f])$/i.exec(text.trim())
  if (short) return [1, 2, 3].map((at) => Number.parseInt(`${short[at]}${short[at]}`, 16)) as unknown as Rgb
  const long = /^#([0-9a-f]{2})([0-9a-f]{2})([0-9a-f]{2})$/i.exec(text.trim())
  if (long) return [1, 2, 3].map((at) => Number.parseInt(long[at] ?? '', 16)) as unknown as Rgb
  const rgb = /^rgb\(\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*[, ]\s*(\d{1,3})\s*\)$/.exec(text.trim())
  if (!rgb) return undefined
  const parts = [1, 2, 3].map((at) => Number(rgb[at]))
  return parts.every((part) => part <= 255) ? (parts as unknown as Rgb) : undefined
}

function luminance(colour: Rgb): number {
  const [red = 0, green = 0, blue = 0] = colour.map((part) => {
    const share = part / 255
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4
  })
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue
}

export function contrast(one: Rgb, other: Rgb): number {
  const [low = 0, high = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b)
  return (high + 0.05) / (low + 0.05)
}

export function hex(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

export const black: Rgb = [0, 0, 0]
export const white: Rgb = [255, 255, 255]

function mixed(colour: Rgb, towards: Rgb, share: number): Rgb {
  return colour.map((part, at) => part + ((towards[at] ?? 0) - part) * share) as unknown as Rgb
}

/** The colour, or the nearest one on its way to black or white that is told apart from all of the grounds. */
export function readableOn(colour: Rgb, on: readonly Rgb[], towards: Rgb): Rgb {
  for (let step = 0; step <= 40; step++) {
    const moved = mixed(colour, towards, step / 40)
    const rounded = moved.map(Math.round) as unknown as Rgb
    if (on.every((ground) => contrast(rounded, ground) >= leastContrast)) return rounded
  }
  return towards
}

function distance(one: Rgb, other: Rgb): number {
  return one.reduce((sum, part, at) => sum + (part - (other[at] ?? 0)) ** 2, 0)
}

/** The colour itself where it is told apart from all of the grounds, else the nearer of the darker and the lighter one that are. */
export function nearestReadable(colour: Rgb, on: readonly Rgb[]): Rgb | undefined {
  const found = [black, white]
    .map((towards) => readableOn(colour, on, towards))
    .filter((one) => on.every((ground) => contrast(one, ground) >= leastContrast))
  return found.toSorted((a, b) => distance(a, colour) - distance(b, colour))[0]
}
