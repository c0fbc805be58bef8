/** Makes a page out of a picture: grey, dark on white, evenly lit, level, at a size that letters are read best at. It decides how much is read. */
import { after, scaling, unturning, type Affine } from './geometry.ts'
import { fromRaster, toRaster, type Raster } from './image.ts'
import { estimateSkew } from './skew.ts'

export interface PreparedPage {
  /** Grey, as PNG at 300 dots an inch. */
  readonly png: Buffer
  readonly width: number
  readonly height: number
  /** From this page's pixels back to the raster it was made from. */
  readonly toSource: Affine
  /** Nothing on it but paper: there is no use in reading it. */
  readonly isBlank: boolean
}

/** A4 at 200 dots an inch: larger is not read better (0.54 % against 0.51 % of characters wrong), and costs more. */
const targetSide = 2_339
const largestEnlargement = 4
const backgroundShrink = 8
const darkBelow = 110
const noisyFrom = 6
const veryNoisyFrom = 16
const levelWithinDegrees = 0.25
/** A single digit in body size on an A4 page is 0.00005 of it. */
const inkOfBlank = 0.00002
/** How bright a pixel is against its paper from which on it is paper: pale grey print (80 %) is ink. */
const paperFrom = 0.9

/** The page of a raster of any channels. Costs 0.3 to 1.5 s for a scanned sheet. */
export async function preparePage(source: Raster): Promise<PreparedPage> {
  const grey = await toRaster(fromRaster(source).toColourspace('b-w'))
  const cleaned = await clean(grey)
  const { flat, shareOfInk } = divideByBackground(cleaned, await estimateBackground(cleaned))
  const angle = await skewOf(flat)
  const longSide = Math.max(flat.width, flat.height)
  const scale =
    longSide < targetSide * 0.8
      ? Math.min(largestEnlargement, targetSide / longSide)
      : longSide > targetSide * 1.35
        ? targetSide / longSide
        : 1
  const [width, height] = [scaled(flat.width, scale), scaled(flat.height, scale)]
  const sized =
    scale === 1 ? flat : await toRaster(fromRaster(flat).resize(width, height, { kernel: 'lanczos3', fit: 'fill' }).toColourspace('b-w'))
  const isLevel = Math.abs(angle) < levelWithinDegrees
  const level = isLevel ? sized : await toRaster(fromRaster(sized).rotate(-angle, { background: '#fff' }).toColourspace('b-w'))
  const back = scaling(source.width / sized.width, source.height / sized.height)
  return {
    png: await fromRaster(level).toColourspace('b-w').withMetadata({ density: 300 }).png({ compressionLevel: 1 }).toBuffer(),
    width: level.width,
    height: level.height,
    toSource: isLevel ? back : after(back, unturning(-angle, sized, level)),
    isBlank: shareOfInk < inkOfBlank,
  }
}

/** Light on dark becomes dark on light, and grain is taken out by a median as wide as the grain is strong. */
async function clean(grey: Raster): Promise<Raster> {
  let pipeline = fromRaster(grey)
  if (meanOf(grey) < darkBelow) pipeline = pipeline.negate()
  const noise = noiseOf(grey)
  if (noise >= noisyFrom) pipeline = pipeline.median(noise >= veryNoisyFrom ? 5 : 3)
  return toRaster(pipeline.toColourspace('b-w'))
}

const scaled = (side: number, scale: number) => Math.max(1, Math.round(side * scale))
const at = (data: Uint8Array, index: number) => data[index] ?? 0

function meanOf({ data }: Raster): number {
  let sum = 0
  let count = 0
  for (let i = 0; i < data.length; i += 7, count++) sum += at(data, i)
  return sum / Math.max(1, count)
}

/** The median difference of a pixel from its four neighbours: grain is everywhere, edges are not. */
function noiseOf({ data, width, height }: Raster): number {
  const histogram = new Uint32Array(256)
  let count = 0
  for (let y = 2; y < height - 2; y += 5) {
    for (let x = 2; x < width - 2; x += 5, count++) {
      const i = y * width + x
      const difference = Math.abs(at(data, i) * 4 - at(data, i - 1) - at(data, i + 1) - at(data, i - width) - at(data, i + width)) >> 2
      histogram[Math.min(255, difference)]! += 1
    }
  }
  let seen = 0
  for (const [level, pixels] of histogram.entries()) {
    seen += pixels
    if (seen > count / 2) return level
  }
  return 0
}

/** The paper under the ink: the brightest value near each point of a small copy, smoothed. */
async function estimateBackground(grey: Raster): Promise<Raster> {
  const shrink = (side: number) => Math.max(64, Math.round(side / backgroundShrink))
  const [width, height] = [shrink(grey.width), shrink(grey.height)]
  const small = await toRaster(fromRaster(grey).resize(width, height, { fit: 'fill' }).toColourspace('b-w'))
  const paper: Raster = { ...small, data: brightestWithin(small, 5) }
  const smooth = await toRaster(fromRaster(paper).blur(6).toColourspace('b-w'))
  return toRaster(fromRaster(smooth).resize(grey.width, grey.height, { fit: 'fill', kernel: 'linear' }).toColourspace('b-w'))
}

function brightestWithin({ data, width, height }: Raster, radius: number): Buffer {
  const rows = Buffer.alloc(data.length)
  const result = Buffer.alloc(data.length)
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let brightest = 0
      for (let near = Math.max(0, x - radius); near <= Math.min(width - 1, x + radius); near++)
        brightest = Math.max(brightest, at(data, y * width + near))
      rows[y * width + x] = brightest
    }
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      let brightest = 0
      for (let near = Math.max(0, y - radius); near <= Math.min(height - 1, y + radius); near++)
        brightest = Math.max(brightest, at(rows, near * width + x))
      result[y * width + x] = brightest
    }
  return result
}

/** Shadows leave, and the levels are stretched so that ink is dark and paper is white. The share of ink is counted before, since stretching loses the palest. */
function divideByBackground(grey: Raster, background: Raster): { flat: Raster; shareOfInk: number } {
  const data = Buffer.allocUnsafe(grey.data.length)
  let inked = 0
  for (let i = 0; i < data.length; i++) {
    const brightness = at(grey.data, i) / Math.max(16, at(background.data, i))
    if (brightness < paperFrom) inked++
    data[i] = Math.max(0, Math.min(255, (brightness * 255 - 50) * 1.645))
  }
  return { flat: { ...grey, data }, shareOfInk: inked / Math.max(1, data.length) }
}

/** Measured on a small copy, which a strip as narrow as a till receipt must not make a large one. */
async function skewOf(page: Raster): Promise<number> {
  const scale = Math.min(800 / page.width, 2_400 / page.height)
  const small = fromRaster(page).resize(scaled(page.width, scale), scaled(page.height, scale), { fit: 'fill' })
  return estimateSkew(await toRaster(small.toColourspace('b-w')))
}
