/** Reads the file that holds multilingual-e5-small: its numbers, its vocabulary and its weights, most of them in blocks of 32 with 4 bits each. */

/** Weights that share a scale. */
export const blockSize = 32
const packedBlockBytes = 2 + blockSize / 2
const magic = 'E5S1'

export interface PackedModel {
  readonly width: number
  readonly layers: number
  readonly heads: number
  readonly innerWidth: number
  readonly mostTokens: number
  readonly epsilon: number
  readonly vocabulary: Vocabulary
  floats(name: string): Float32Array
  /** Still packed; `unpackRow` and the encoder's graph read it. */
  blocks(name: string): Buffer
}

/** Pieces of words with the logarithm of how likely they are. */
export interface Vocabulary {
  readonly begin: number
  readonly end: number
  readonly unknown: number
  readonly ids: ReadonlyMap<string, number>
  readonly scores: Float32Array
}

/** Numbers one after the other. */
function readerOf(file: Buffer) {
  let at = 0
  return {
    int: () => file.readInt32LE((at += 4) - 4),
    short: () => file.readUInt16LE((at += 2) - 2),
    byte: () => file.readUInt8((at += 1) - 1),
    long: () => Number(file.readBigUInt64LE((at += 8) - 8)),
    float: () => file.readFloatLE((at += 4) - 4),
    bytes: (length: number) => file.subarray((at += length) - length, at),
  }
}

const floatsOf = (bytes: Buffer) => new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))

function readVocabulary(next: ReturnType<typeof readerOf>): Vocabulary {
  const count = next.int()
  const [begin, end, , unknown] = [next.int(), next.int(), next.int(), next.int()]
  const textBytes = next.long()
  const starts = next.bytes((count + 1) * 4)
  const scores = floatsOf(next.bytes(count * 4))
  const text = next.bytes(textBytes)
  const ids = new Map<string, number>()
  for (let id = 0; id < count; id += 1) {
    const piece = text.toString('utf8', starts.readUInt32LE(id * 4), starts.readUInt32LE(id * 4 + 4))
    if (!ids.has(piece)) ids.set(piece, id)
  }
  // The table of how characters are written alike; String.normalize does the same.
  next.int()
  next.bytes(next.int())
  return { begin, end, unknown, ids, scores }
}

/** Takes the file apart. Throws where it is not one. */
export function readPackedModel(file: Buffer): PackedModel {
  const next = readerOf(file)
  if (next.bytes(4).toString() !== magic) throw new Error('The file is not the packed sentence model.')
  next.int()
  const [width, layers, heads, innerWidth, , mostTokens] = [next.int(), next.int(), next.int(), next.int(), next.int(), next.int()]
  next.int()
  const epsilon = next.float()
  next.int()
  const vocabulary = readVocabulary(next)
  const places = new Map<string, Buffer>()
  for (let left = next.int(); left > 0; left -= 1) {
    const name = next.bytes(next.short()).toString()
    next.byte()
    next.int()
    const start = next.long()
    places.set(name, file.subarray(start, start + next.long()))
  }
  const blocks = (name: string) => {
    const found = places.get(name)
    if (!found) throw new Error(`The packed sentence model has no ${name}.`)
    return found
  }
  return { width, layers, heads, innerWidth, mostTokens, epsilon, vocabulary, blocks, floats: (name) => floatsOf(blocks(name)) }
}

/** A number of 16 bits as it is stored: sign, five bits of exponent, ten of fraction. */
export function halfFloat(bits: number): number {
  const sign = bits & 0x8000 ? -1 : 1
  const exponent = (bits >> 10) & 31
  const fraction = bits & 1023
  if (exponent === 0) return sign * fraction * 2 ** -24
  return sign * (1 + fraction / 1024) * 2 ** (exponent - 15)
}

/** Row `row` of a packed matrix of `width` columns. The low halves of a block's bytes are its first 16 weights, the high halves the others. */
export function unpackRow(packed: Buffer, row: number, width: number): Float32Array {
  const weights = new Float32Array(width)
  const blocks = width / blockSize
  for (let block = 0; block < blocks; block += 1) {
    const start = (row * blocks + block) * packedBlockBytes
    const scale = halfFloat(packed.readUInt16LE(start))
    for (let index = 0; index < blockSize / 2; index += 1) {
      const pair = packed[start + 2 + index] ?? 0
      weights[block * blockSize + index] = ((pair & 15) - 8) * scale
      weights[block * blockSize + index + blockSize / 2] = ((pair >> 4) - 8) * scale
    }
  }
  return weights
}

/** A packed matrix as onnxruntime multiplies by it: weights in their order two a byte, and the scales beside them. */
export function repackForRuntime(packed: Buffer): { weights: Uint8Array; scales: Float32Array } {
  const blocks = packed.length / packedBlockBytes
  const half = blockSize / 2
  const weights = new Uint8Array(blocks * half)
  const scales = new Float32Array(blocks)
  for (let block = 0; block < blocks; block += 1) {
    const start = block * packedBlockBytes
    scales[block] = halfFloat(packed.readUInt16LE(start))
    for (let index = 0; index < half; index += 1) {
      const from = (index * 2) % half
      const [first, second] = [packed[start + 2 + from] ?? 0, packed[start + 3 + from] ?? 0]
      weights[block * half + index] = index < half / 2 ? (first & 15) | ((second & 15) << 4) : (first >> 4) | (second & 0xf0)
    }
  }
  return { weights, scales }
}
