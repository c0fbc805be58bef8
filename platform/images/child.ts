/** The child process that opens one picture of a stranger's and paints it anew as PNG: nothing else of the file goes on. It knows no secret. */
import sharp from 'sharp'

import { liveInBackground } from '#platform/child-process.ts'

import type { ImageAnswer, ImageTask } from './image.types.ts'

if (process.send === undefined) throw new Error('This file is started by remaking.ts.')
liveInBackground()

// Every loader off, then those that are wanted on.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif', 'VipsForeignLoadHeif'],
})
sharp.concurrency(1)
sharp.cache(false)

const mostPixels = 64_000_000
/** A larger PNG is painted with 256 colours. */
const plainBytes = 96 * 1024
const clear = { r: 0, g: 0, b: 0, alpha: 0 }

async function remake({ bytes, width, height, fit, background }: ImageTask): Promise<ImageAnswer> {
  const open = () => sharp(bytes, { limitInputPixels: mostPixels, failOn: 'error' })
  try {
    await open().metadata()
  } catch (error) {
    return { refusal: isTooLarge(error) ? 'pixels' : 'type' }
  }
  try {
    const placed = open()
      .autoOrient()
      .resize({ width, height, fit, withoutEnlargement: fit === 'inside', background: background ?? clear })
      .toColourspace('srgb')
    const painted = background === undefined ? placed : placed.flatten({ background })
    const whole = await painted.clone().png({ compressionLevel: 9 }).toBuffer()
    return { bytes: whole.length > plainBytes ? await painted.clone().png({ compressionLevel: 9, palette: true }).toBuffer() : whole }
  } catch (error) {
    return { refusal: isTooLarge(error) ? 'pixels' : 'broken' }
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && /pixel limit/i.test(error.message)
}

process.once('message', (task: ImageTask) => void remake(task).then((answer) => process.send?.(answer)))
process.send('ready')
