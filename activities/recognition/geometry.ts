/** Affine maps of the plane, so that a box found in a turned and scaled copy can be given in the pixels of the picture it came from. */

/** x' = a·x + b·y + c, y' = d·x + e·y + f. */
export type Affine = readonly [a: number, b: number, c: number, d: number, e: number, f: number]
export type Box = readonly [x0: number, y0: number, x1: number, y1: number]

export const scaling = (x: number, y: number = x): Affine => [x, 0, 0, 0, y, 0]

/** First `inner`, then `outer`. */
export function after(outer: Affine, inner: Affine): Affine {
  const [a, b, c, d, e, f] = outer
  const [p, q, r, s, t, u] = inner
  return [a * p + b * s, a * q + b * t, a * r + b * u + c, d * p + e * s, d * q + e * t, d * r + e * u + f]
}

/**
 * The way back from a copy that was turned by `degrees` (clockwise, as sharp turns) about its centre onto a canvas that grew to hold it:
 * a point of the turned copy, of the given size, to the point of the copy before.
 */
export function unturning(degrees: number, before: { width: number; height: number }, turned: { width: number; height: number }): Affine {
  const radians = (degrees * Math.PI) / 180
  const [cos, sin] = [Math.cos(radians), Math.sin(radians)]
  const [cx, cy, tx, ty] = [before.width / 2, before.height / 2, turned.width / 2, turned.height / 2]
  return [cos, sin, cx - cos * tx - sin * ty, -sin, cos, cy + sin * tx - cos * ty]
}

/** The upright box around the mapped corners, rounded to whole units and kept inside `width` by `height`. */
export function mapBox(map: Affine, [x0, y0, x1, y1]: Box, width: number, height: number): Box {
  const [a, b, c, d, e, f] = map
  const corners = [
    [x0, y0],
    [x1, y0],
    [x1, y1],
    [x0, y1],
  ] as const
  const xs = corners.map(([x, y]) => a * x + b * y + c)
  const ys = corners.map(([x, y]) => d * x + e * y + f)
  const within = (value: number, limit: number) => Math.max(0, Math.min(limit, Math.round(value)))
  return [within(Math.min(...xs), width), within(Math.min(...ys), height), within(Math.max(...xs), width), within(Math.max(...ys), height)]
}
