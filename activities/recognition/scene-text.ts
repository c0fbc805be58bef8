/** Reads the words in photographs of scenes: signs, labels, screens. PP-OCRv4 finds and reads them where tesseract finds noise. */
import '#platform/onnx-environment.ts'

import { mapBox, scaling, type Box } from './geometry.ts'
import { fromRaster, toRaster, type Picture } from './image.ts'
import { limits } from './types.ts'

export interface SceneLine {
  readonly text: string
  /** 0 to 100. */
  readonly confidence: number
  /** In the pixels of the upright picture. */
  readonly box: Box
  /** The engine reads writing that runs up the picture upside down, so whatever it makes sense of runs one of these ways. */
  readonly runs: 'right' | 'down'
}

type Corners = readonly (readonly number[])[]

/** The engine hands what it is given to sharp, which takes a picture's bytes as well as a path; its own type names the path only. */
interface BytesReader {
  detect(png: Buffer): Promise<readonly { readonly text: string; readonly mean: number; readonly box?: Corners }[]>
}

export interface SceneReader {
  /** The lines of text in the picture, from the top; empty where there is none. */
  read(picture: Picture): Promise<readonly SceneLine[]>
}

/** Smaller writing than about 8 pixels is not found, so small pictures are enlarged. */
const smallestSide = 640
const missingTo32 = (side: number) => (32 - (side % 32)) % 32

/** The engine turns what is half as high again as wide, and reads it from top to bottom. */
function directionOf([a = [], b = [], c = [], d = []]: Corners): SceneLine['runs'] {
  const side = ([x0 = 0, y0 = 0]: readonly number[], [x1 = 0, y1 = 0]: readonly number[]) => Math.hypot(x1 - x0, y1 - y0)
  return Math.max(side(a, d), side(b, c)) >= 1.5 * Math.max(side(a, b), side(c, d)) ? 'down' : 'right'
}

/** Loads nothing until the first picture. One call at a time. */
export function createSceneReader(): SceneReader {
  let engine: Promise<BytesReader> | undefined
  return {
    async read({ raster, width, height }) {
      engine ??= loadEngine()
      const longSide = Math.max(raster.width, raster.height)
      const side = Math.min(limits.sceneSide, Math.max(smallestSide, longSide))
      const small = await toRaster(fromRaster(raster).resize({ width: side, height: side, fit: 'inside' }))
      // The engine would centre the picture on the next multiple of 32, and its boxes would be off by the margin.
      const [right, bottom] = [missingTo32(small.width), missingTo32(small.height)]
      const png = await fromRaster(small).extend({ right, bottom, extendWith: 'copy' }).png({ compressionLevel: 1 }).toBuffer()
      const reader: BytesReader = await engine
      // Odd shapes make its geometry throw; a picture that it cannot cope with has no text for us.
      const lines = await reader.detect(png).catch(() => [])
      const toPicture = scaling(width / small.width, height / small.height)
      return lines.flatMap(({ text, mean, box }) => {
        if (text.trim() === '' || !box) return []
        const xs = box.map(([x]) => x ?? 0)
        const ys = box.map(([, y]) => y ?? 0)
        const found: Box = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)]
        const confidence = Math.round(mean * 1000) / 10
        return [{ text: text.trim(), confidence, box: mapBox(toPicture, found, width, height), runs: directionOf(box) }]
      })
    },
  }
}

/** Imported at the first use: it brings OpenCV, which most files never need. */
async function loadEngine(): Promise<BytesReader> {
  const { default: Ocr } = await import('@gutenye/ocr-node')
  return Ocr.create({ onnxOptions: { intraOpNumThreads: 1, interOpNumThreads: 1, enableCpuMemArena: false } })
}
