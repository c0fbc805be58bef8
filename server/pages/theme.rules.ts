/**
 * A tenant's theme as the pages use it. Whatever a tenant set, the page stays readable: a colour moves towards black or white until it stands out from
 * what it lies on.
 */

type Rgb = readonly [red: number, green: number, blue: number]

/** WCAG 2.2 asks for it of text of ordinary size. */
const leastContrast = 4.5

/** What lies behind the accent; the colours of tokens.css. */
const grounds = { light: ['#ffffff', '#f6f7f5'], dark: ['#181f1c', '#101513'] } as const

const fonts: Readonly<Record<string, string>> = {
  sans: "system-ui, -apple-system, 'Segoe UI', sans-serif",
  serif: "ui-serif, 'Iowan Old Style', Georgia, serif",
  rounded: "ui-rounded, 'SF Pro Rounded', system-ui, sans-serif",
  mono: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
}

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

function hex(colour: Rgb): string {
  return `#${colour.map((part) => Math.round(part).toString(16).padStart(2, '0')).join('')}`
}

const black: Rgb = [0, 0, 0]
const white: Rgb = [255, 255, 255]

function mixed(colour: Rgb, towards: Rgb, share: number): Rgb {
  return colour.map((part, at) => part + ((towards[at] ?? 0) - part) * share) as unknown as Rgb
}

/** The colour, or the nearest one on its way to black or white that is told apart from all of the grounds. */
function readableOn(colour: Rgb, on: readonly Rgb[], towards: Rgb): Rgb {
  for (let step = 0; step <= 40; step++) {
    const moved = mixed(colour, towards, step / 40)
    const rounded = moved.map(Math.round) as unknown as Rgb
    if (on.every((ground) => contrast(rounded, ground) >= leastContrast)) return rounded
  }
  return towards
}

function accentOf(colour: Rgb, scheme: 'light' | 'dark'): string {
  const on = grounds[scheme].map((ground) => readColour(ground)).filter((ground) => ground !== undefined)
  const accent = readableOn(colour, on, scheme === 'light' ? black : white)
  const onAccent = contrast(accent, white) >= contrast(accent, black) ? white : black
  return `--accent:${hex(accent)};--on-accent:${hex(onAccent)};`
}

/** The style that a theme makes; empty where it says nothing that the pages use. */
export function themeStyle(theme: Readonly<Record<string, string>>): string {
  const colour = [theme['--theme-accent'], theme['--theme-primary']].map((text) => readColour(text ?? '')).find((found) => found)
  const radius = /^(\d{1,2}(?:\.\d{1,3})?)(px|rem)$/.exec(theme['--theme-radius']?.trim() ?? '')
  const isSmall = radius !== null && Number(radius[1]) <= (radius[2] === 'px' ? 24 : 1.5)
  const font = fonts[theme['--theme-font']?.trim().toLowerCase() ?? '']
  const always = `${isSmall ? `--radius:${radius[0]};` : ''}${font === undefined ? '' : `--font:${font};`}`
  const light = `${always}${colour ? accentOf(colour, 'light') : ''}`
  const dark = colour ? accentOf(colour, 'dark') : ''
  return `${light === '' ? '' : `:root{${light}}`}${dark === '' ? '' : `@media (prefers-color-scheme:dark){:root{${dark}}}`}`
}
