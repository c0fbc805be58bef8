/** How far the lines of a page lean. */
import type { Raster } from './image.ts'

const widestDegrees = 12
const fewestDarkPixels = 400

/**
 * The angle in degrees by which lines run down to the right, between -12 and 12, to 0.1. Rows of dark pixels are counted along each angle; where the lines
 * are level the counts change most sharply from row to row. 0 for a page with almost nothing on it.
 */
export function estimateSkew({ data, width, height }: Raster): number {
  const xs: number[] = []
  const ys: number[] = []
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      if ((data[y * width + x] ?? 255) < 128) {
        xs.push(x)
        ys.push(y)
      }
  if (xs.length < fewestDarkPixels) return 0
  const offset = (width + height) / 2
  const sharpness = (degrees: number): number => {
    const slope = Math.tan((degrees * Math.PI) / 180)
    const rows = new Float64Array(height * 2 + width)
    for (const [i, x] of xs.entries()) {
      const row = Math.floor((ys[i] ?? 0) - x * slope + offset)
      if (row >= 0 && row < rows.length) rows[row]! += 1
    }
    let sum = 0
    for (let i = 1; i < rows.length; i++) sum += ((rows[i] ?? 0) - (rows[i - 1] ?? 0)) ** 2
    return sum
  }
  let best = { degrees: 0, sharpness: -1 }
  const consider = (degrees: number) => {
    const found = sharpness(degrees)
    if (found > best.sharpness) best = { degrees, sharpness: found }
  }
  for (let degrees = -widestDegrees; degrees <= widestDegrees; degrees++) consider(degrees)
  for (const step of [0.5, 0.25, 0.1]) {
    const centre = best.degrees
    consider(centre - step)
    consider(centre + step)
  }
  return best.degrees
}
