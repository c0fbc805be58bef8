/** Names of the files in an archive. Archives of one export are unpacked into one folder, so none of them stands twice. */

const maxName = 150

/** What every system takes as the name of a file. */
function plain(name: string): string {
  const kept = name
    .normalize('NFC')
    .replaceAll(/[^\p{L}\p{N}\p{M} ._()-]/gu, '_')
    .replace(/^[ .]+/, '')
  const characters = Array.from(kept)
  const short = characters.length <= maxName ? kept : characters.slice(0, 100).join('') + characters.slice(100 - maxName).join('')
  return short.replace(/[ .]+$/, '')
}

/** Of the records of an entity. */
export function lineName(internalName: string, entityId: number): string {
  return `${plain(internalName)}-${entityId}`
}

/** Of a file of the tenant's. */
export function filePath(assetKey: string, originalFileName: string): string {
  return `files/${assetKey}/${plain(originalFileName) || 'file'}`
}

/** Of lines: where an earlier archive has the beginning, the rest is told by the number of the archive. */
export function linePath(source: { readonly name: string; readonly extension: string }, part: number, isContinued: boolean): string {
  return `${source.name}${isContinued ? `.${part}` : ''}.${source.extension}`
}

export const manifestPath = (part: number) => (part === 1 ? 'manifest.json' : `manifest.${part}.json`)
