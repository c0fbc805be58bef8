/** Pictures made small enough to travel, and signatures: drawn, or made of a typed name. */

/** @param {HTMLCanvasElement} canvas @param {string} type @returns {Promise<Blob | null>} */
const blobOf = (canvas, type) => new Promise((resolve) => canvas.toBlob(resolve, type, 0.85))

/**
 * The picture with no edge longer than that; what is none, or cannot be read here, as it is.
 * @param {File} file
 * @param {number} maxEdge
 */
export async function smaller(file, maxEdge) {
  if (!(maxEdge > 0) || !/^image\/(?:jpeg|png|webp)$/.test(file.type)) return file
  try {
    const picture = await createImageBitmap(file)
    const share = maxEdge / Math.max(picture.width, picture.height)
    if (share >= 1) return file
    const canvas = document.createElement('canvas')
    canvas.width = Math.round(picture.width * share)
    canvas.height = Math.round(picture.height * share)
    canvas.getContext('2d')?.drawImage(picture, 0, 0, canvas.width, canvas.height)
    picture.close()
    const type = file.type === 'image/png' ? 'image/png' : 'image/jpeg'
    const blob = await blobOf(canvas, type)
    return blob && blob.size < file.size ? new File([blob], file.name, { type }) : file
  } catch {
    return file
  }
}

/** @param {HTMLCanvasElement} canvas */
function pen(canvas) {
  const context = canvas.getContext('2d')
  if (!context) throw new Error('This browser draws nothing')
  Object.assign(context, { lineWidth: 3, lineCap: 'round', lineJoin: 'round', strokeStyle: '#101010', fillStyle: '#101010' })
  return context
}

/** @param {HTMLCanvasElement} canvas */
function blank(canvas) {
  const context = pen(canvas)
  context.fillStyle = '#ffffff'
  context.fillRect(0, 0, canvas.width, canvas.height)
  context.fillStyle = '#101010'
}

/**
 * Lets people sign on the pad; calls back with the picture after each stroke, and with nothing once it is cleared.
 * @param {HTMLElement} pad
 * @param {(picture: File | undefined) => void} onSigned
 */
export function openPad(pad, onSigned) {
  const canvas = pad.querySelector('canvas')
  if (!canvas) return
  pad.hidden = false
  blank(canvas)
  let isDown = false
  const at = (/** @type {PointerEvent} */ event) => {
    const box = canvas.getBoundingClientRect()
    return /** @type {const} */ ([
      ((event.clientX - box.left) * canvas.width) / box.width,
      ((event.clientY - box.top) * canvas.height) / box.height,
    ])
  }
  canvas.addEventListener('pointerdown', (event) => {
    isDown = true
    canvas.setPointerCapture(event.pointerId)
    const context = pen(canvas)
    const [x, y] = at(event)
    context.beginPath()
    context.moveTo(x, y)
    context.lineTo(x + 0.1, y)
    context.stroke()
  })
  canvas.addEventListener('pointermove', (event) => {
    if (!isDown) return
    const context = pen(canvas)
    context.lineTo(...at(event))
    context.stroke()
  })
  const end = async () => {
    if (!isDown) return
    isDown = false
    const blob = await blobOf(canvas, 'image/png')
    if (blob) onSigned(new File([blob], 'signature.png', { type: 'image/png' }))
  }
  canvas.addEventListener('pointerup', end)
  canvas.addEventListener('pointercancel', end)
  pad.querySelector('.clear')?.addEventListener('click', () => {
    blank(canvas)
    onSigned(undefined)
  })
}

/** Shows on the pad what was drawn before. @param {HTMLElement} pad @param {File} picture */
export async function showOnPad(pad, picture) {
  const canvas = pad.querySelector('canvas')
  if (!canvas) return
  const drawn = await createImageBitmap(picture)
  pen(canvas).drawImage(drawn, 0, 0)
  drawn.close()
}

/** A typed name as a signature. @param {string} name */
export async function signed(name) {
  const canvas = document.createElement('canvas')
  canvas.width = 640
  canvas.height = 220
  blank(canvas)
  const context = pen(canvas)
  for (let size = 64; size > 12; size -= 4) {
    context.font = `italic ${size}px "Segoe Script", "Snell Roundhand", "Brush Script MT", cursive`
    if (context.measureText(name).width <= 600) break
  }
  context.textBaseline = 'middle'
  context.textAlign = 'center'
  context.fillText(name, 320, 110, 600)
  const blob = await blobOf(canvas, 'image/png')
  return blob ? new File([blob], 'signature.png', { type: 'image/png' }) : undefined
}
