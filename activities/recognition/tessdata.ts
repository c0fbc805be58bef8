/** The language data of tesseract, gathered from its packages into the one folder that the engine wants. */
import { copyFile, mkdir, rename, stat } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

import { recognitionLanguages } from '#platform/shapes/recognition.ts'

const require = createRequire(import.meta.url)
const dataFolder = (language: string, variant: string) =>
  join(dirname(require.resolve(`@tesseract.js-data/${language}/package.json`)), variant)

/** The folder of the orientation model, which is of the older kind and needs the engine's older core. */
export const orientationDataPath = (): string => dataFolder('osd', '4.0.0')

/** The folder that holds `<language>.traineddata.gz` for every language that ships; filled at the first call on a machine. */
export async function ensureTessdata(cacheDir: string): Promise<string> {
  const folder = join(cacheDir, 'tessdata-4.0.0-best-int')
  await mkdir(folder, { recursive: true })
  for (const language of recognitionLanguages) {
    const name = `${language}.traineddata.gz`
    const source = join(dataFolder(language, '4.0.0_best_int'), name)
    const wanted = await stat(source)
    const present = await stat(join(folder, name)).catch(() => undefined)
    if (present?.size === wanted.size) continue
    // Renamed into place when whole: another process may be reading this folder.
    const partial = join(folder, `.${name}.${process.pid}`)
    await copyFile(source, partial)
    await rename(partial, join(folder, name))
  }
  return folder
}
