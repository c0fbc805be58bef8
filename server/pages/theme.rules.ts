/**
 * A tenant's theme as the pages use it. Whatever a tenant set, the page stays readable: a colour moves towards black or white until it stands out from
 * what it lies on.
 */
import { black, contrast, hex, pageGrounds, readableOn, readColour, type Rgb, white } from '#platform/colours.ts'

const fonts: Readonly<Record<string, string>> = {
  sans: "system-ui, -apple-system, 'Segoe UI', sans-serif",
  serif: "ui-serif, 'Iowan Old Style', Georgia, serif",
  rounded: "ui-rounded, 'SF Pro Rounded', system-ui, sans-serif",
  mono: "ui-monospace, 'SF Mono', Menlo, Consolas, monospace",
}

const shadows: Readonly<Record<string, string>> = {
  none: 'none',
  soft: '0 1px 3px rgb(0 0 0 / 12%)',
  strong: '0 4px 14px rgb(0 0 0 / 25%)',
}

const length = /^(\d{1,2}(?:\.\d{1,3})?)(px|rem)$/

/** A length of the theme, where it is no larger than pages bear. */
function lengthOf(text: string | undefined, mostPx: number): string | undefined {
  const [whole, number, unit] = length.exec(text?.trim() ?? '') ?? []
  return Number(number) * (unit === 'rem' ? 16 : 1) <= mostPx ? whole : undefined
}

function accentOf(colour: Rgb, scheme: 'light' | 'dark'): string {
  const on = pageGrounds[scheme].map((ground) => readColour(ground)).filter((ground) => ground !== undefined)
  const accent = readableOn(colour, on, scheme === 'light' ? black : white)
  const onAccent = contrast(accent, white) >= contrast(accent, black) ? white : black
  return `--accent:${hex(accent)};--on-accent:${hex(onAccent)};`
}

/** The style that a theme makes; empty where it says nothing that the pages use. */
export function themeStyle(theme: Readonly<Record<string, string>>): string {
  const colour = [theme['--theme-accent'], theme['--theme-primary']].map((text) => readColour(text ?? '')).find((found) => found)
  const radius = lengthOf(theme['--theme-radius'], 24)
  const gap = lengthOf(theme['--theme-gap'], 32)
  const font = fonts[theme['--theme-font']?.trim().toLowerCase() ?? '']
  const shadow = shadows[theme['--theme-shadow']?.trim().toLowerCase() ?? '']
  const always = Object.entries({ '--radius': radius, '--gap': gap, '--font': font, '--shadow': shadow })
    .map(([name, value]) => (value === undefined ? '' : `${name}:${value};`))
    .join('')
  const light = `${always}${colour ? accentOf(colour, 'light') : ''}`
  const dark = colour ? accentOf(colour, 'dark') : ''
  return `${light === '' ? '' : `:root{${light}}`}${dark === '' ? '' : `@media (prefers-color-scheme:dark){:root{${dark}}}`}`
}
