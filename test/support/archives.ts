/** ZIP archives as another program reads them. */
import { fromBuffer } from 'yauzl'

/** The files of an archive by their paths. A path that stands twice is an error. */
export async function readArchive(archive: Buffer): Promise<Map<string, Buffer>> {
  const files = new Map<string, Buffer>()
  await new Promise<void>((resolve, reject) => {
    fromBuffer(archive, { lazyEntries: true, validateEntrySizes: true }, (failure, zip) => {
      if (failure) return reject(failure)
      zip.on('error', reject)
      zip.on('end', () => resolve())
      zip.on('entry', (entry: { fileName: string }) => {
        zip.openReadStream(entry as never, (refusal, stream) => {
          if (refusal) return reject(refusal)
          const pieces: Buffer[] = []
          stream.on('data', (piece: Buffer) => pieces.push(piece))
          stream.on('error', reject)
          stream.on('end', () => {
            if (files.has(entry.fileName)) return reject(new Error(`${entry.fileName} stands twice`))
            files.set(entry.fileName, Buffer.concat(pieces))
            zip.readEntry()
          })
        })
      })
      zip.readEntry()
    })
  })
  return files
}
