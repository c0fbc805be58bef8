/** Opens pictures safely: nothing larger than the limits is decoded, and only through the loaders that are meant to be used. */
import { readFile } from 'node:fs/promises'

import decodeHeic from 'heic-decode'
import sharp, { type Sharp } from 'sharp'

import type { FileKind } from './sniff.ts'
import { limits } from './types.ts'
import { failed, skipped, Unreadable } from './unreadable.ts'

// Every loader off, then those that are wanted on: libvips brings loaders for matrices, remote files and document formats.
sharp.block({ operation: ['VipsForeignLoad'] })
sharp.unblock({
  operation: [
    'VipsForeignLoadJpeg',
    'VipsForeignLoadPng',
    'VipsForeignLoadWebp',
    'VipsForeignLoadNsgif',
    'VipsForeignLoadTiff',
    'VipsForeignLoadHeif',
    'VipsForeignLoadSvg',
  ],
})
// One job at a time keeps a core busy; more threads would only take them from the other children.
sharp.concurrency(1)
sharp.cache(false)

/** Uncompressed pixels, 1 (grey), 3 (RGB) or 4 (RGBA) bytes each. */
export interface Raster {
  readonly data: Buffer
  readonly width: number
  readonly height: number
  readonly channels: 1 | 3 | 4
}

/** A picture ready to be read: upright, RGB on white, its longer side at most `limits.pictureSide`. */
export interface Picture {
  readonly raster: Raster
  /** The upright picture's own size in pixels, before it was scaled down; boxes are given in it. */
  readonly width: number
  readonly height: number
}

const safely = { limitInputPixels: limits.pixels } as const

/** A sharp pipeline over uncompressed pixels. */
export function fromRaster({ data, width, height, channels }: Raster): Sharp {
  return sharp(data, { raw: { width, height, channels } })
}

/** Runs the pipeline. One pipeline has one resize and a fixed order of operators, so steps that must follow each other are separate calls. */
export async function toRaster(pipeline: Sharp): Promise<Raster> {
  const { data, info } = await pipeline.raw().toBuffer({ resolveWithObject: true })
  if (info.channels === 2) throw new Error('The pipeline has left an alpha channel on a grey picture.')
  return { data, width: info.width, height: info.height, channels: info.channels }
}

/** Opens the first frame of a picture. Throws Unreadable with the reason for people. */
export async function openPicture(filePath: string, kind: FileKind['kind'], sizeBytes: number): Promise<Picture> {
  try {
    if (kind === 'svg') return await openSvg(filePath, sizeBytes)
    if (kind === 'heif') return await openHeif(filePath, sizeBytes)
    return await openWithSharp(filePath)
  } catch (error) {
    throw explain(error)
  }
}

async function openWithSharp(input: string | Buffer, density?: number): Promise<Picture> {
  const options = density === undefined ? safely : { ...safely, density }
  const { autoOrient } = await sharp(input, options).metadata()
  const raster = await toRaster(flatten(fit(sharp(input, options).autoOrient())))
  return { raster, width: autoOrient.width, height: autoOrient.height }
}

const fit = (pipeline: Sharp) =>
  pipeline.resize({ width: limits.pictureSide, height: limits.pictureSide, fit: 'inside', withoutEnlargement: true })
const flatten = (pipeline: Sharp) => pipeline.flatten({ background: '#fff' }).toColourspace('srgb').removeAlpha()

/** Drawn at least about 1,600 pixels wide, since what is drawn small is read badly. */
async function openSvg(filePath: string, sizeBytes: number): Promise<Picture> {
  refuseLargerThan(sizeBytes, limits.wholeFileBytes)
  const bytes = await readFile(filePath)
  const { width, height } = await sharp(bytes, safely).metadata()
  const scale = Math.min(8, Math.max(1, 1_600 / Math.max(width, height)))
  const drawn = await openWithSharp(bytes, 72 * scale)
  return { raster: drawn.raster, width, height }
}

async function openHeif(filePath: string, sizeBytes: number): Promise<Picture> {
  const { compression } = await sharp(filePath, safely).metadata()
  if (compression !== 'hevc') return openWithSharp(filePath)
  refuseLargerThan(sizeBytes, limits.wholeFileBytes)
  const images = await decodeHeic.all({ buffer: await readFile(filePath) })
  try {
    const first = images[0]
    if (!first) throw failed('The picture is broken: it holds no image.')
    if (first.width * first.height > limits.pixels) throw tooManyPixels()
    const { data, width, height } = await first.decode()
    // The decoder has turned the picture upright already; its EXIF orientation must not be applied again.
    const decoded: Raster = { data: Buffer.from(data.buffer, data.byteOffset, data.byteLength), width, height, channels: 4 }
    return { raster: await toRaster(flatten(fit(fromRaster(decoded)))), width, height }
  } finally {
    images.dispose()
  }
}

function refuseLargerThan(sizeBytes: number, limit: number): void {
  if (sizeBytes > limit) throw failed(`The file is too large: at most ${Math.floor(limit / 1024 / 1024)} MiB of this kind can be read.`)
}

const tooManyPixels = () => failed(`The picture is too large: at most ${limits.pixels / 1_000_000} megapixels can be read.`)

/** What sharp and libheif say is for programmers; people get the sentence that fits. */
function explain(error: unknown): Unreadable {
  if (error instanceof Unreadable) return error
  const said = error instanceof Error ? error.message : String(error)
  if (/pixel limit|exceeds|too large|dimensions/i.test(said)) return tooManyPixels()
  if (/unsupported image format|operation is blocked/i.test(said)) return skipped('Pictures in this format cannot be read.')
  return failed('The picture is broken or cut off.', error)
}
