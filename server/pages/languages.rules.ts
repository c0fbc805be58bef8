/** In which of our languages a page speaks to somebody. */
export const pageLanguages = ['en', 'de'] as const
export type PageLanguage = (typeof pageLanguages)[number]

function ours(tag: string): PageLanguage | undefined {
  const primary = tag.trim().toLowerCase().split('-', 1)[0]
  return pageLanguages.find((language) => language === primary)
}

/** What a browser says that its person reads, the most wanted first. More of it than a browser sends is not looked at. */
function wanted(acceptLanguage: string): string[] {
  const ranges = acceptLanguage
    .slice(0, 500)
    .split(',')
    .map((range) => {
      const [tag = '', ...parameters] = range.split(';')
      const quality = parameters.map((one) => /^\s*q=([\d.]+)\s*$/i.exec(one)?.[1]).find((found) => found !== undefined)
      return { tag: tag.trim(), quality: quality === undefined ? 1 : Number(quality) || 0 }
    })
  return ranges
    .filter(({ tag, quality }) => tag !== '' && quality > 0)
    .sort((one, other) => other.quality - one.quality)
    .map(({ tag }) => tag)
}

/** The person's own language where it is known, else the browser's, else the tenant's, else English. */
export function chooseLanguage(known: string | null | undefined, acceptLanguage: string, ofTenant?: string): PageLanguage {
  const tags = [...(known ? [known] : []), ...wanted(acceptLanguage), ...(ofTenant === undefined ? [] : [ofTenant])]
  return tags.map(ours).find((language) => language !== undefined) ?? 'en'
}

/** What a browser's person reads first, as the code of a language; undefined where it says none. */
export function firstLanguage(acceptLanguage: string): string | undefined {
  return wanted(acceptLanguage).find((tag) => /^[A-Za-z]{2,3}(?:-[A-Za-z0-9]{2,8}){0,2}$/.test(tag))
}
