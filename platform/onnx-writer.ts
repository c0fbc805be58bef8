/** Writes an ONNX model without a dependency: the few protobuf messages that a feed-forward network needs. */

/** Numbers of onnx.TensorProto.DataType. */
export const tensorType = { float: 1, uint8: 2, int8: 3, int64: 7 } as const
type TensorType = (typeof tensorType)[keyof typeof tensorType]

/** A float attribute is wrapped, because a bare number is written as an integer. */
export type AttributeValue = number | string | readonly number[] | { readonly float: number }

const encoder = new TextEncoder()
const attributeType = { float: 1, int: 2, string: 3, ints: 7 } as const

function varint(value: number): Uint8Array {
  const bytes: number[] = []
  let rest = BigInt.asUintN(64, BigInt(value))
  do {
    const low = Number(rest & 127n)
    rest >>= 7n
    bytes.push(rest > 0n ? low | 128 : low)
  } while (rest > 0n)
  return Uint8Array.from(bytes)
}

const tag = (field: number, wire: 0 | 2 | 5) => varint((field << 3) | wire)
const integer = (field: number, value: number) => Buffer.concat([tag(field, 0), varint(value)])
const bytes = (field: number, value: Uint8Array) => Buffer.concat([tag(field, 2), varint(value.length), value])
const text = (field: number, value: string) => bytes(field, encoder.encode(value))
const message = (field: number, parts: readonly Uint8Array[]) => bytes(field, Buffer.concat(parts))

function float(field: number, value: number): Uint8Array {
  const four = Buffer.alloc(4)
  four.writeFloatLE(value)
  return Buffer.concat([tag(field, 5), four])
}

function attribute(name: string, value: AttributeValue): Uint8Array[] {
  const head = text(1, name)
  if (typeof value === 'string') return [head, text(4, value), integer(20, attributeType.string)]
  if (typeof value === 'number') return [head, integer(3, value), integer(20, attributeType.int)]
  if ('float' in value) return [head, float(2, value.float), integer(20, attributeType.float)]
  return [head, ...value.map((item) => integer(8, item)), integer(20, attributeType.ints)]
}

function valueDescription(name: string, type: TensorType, shape: readonly (number | string)[]): Uint8Array[] {
  const dimensions = shape.map((size) => message(1, [typeof size === 'string' ? text(2, size) : integer(1, size)]))
  return [text(1, name), message(2, [message(1, [integer(1, type), message(2, dimensions)])])]
}

/** The raw bytes of a typed array, little-endian as ONNX wants them on every machine that Node runs on. */
export const rawBytes = (array: Float32Array | Int8Array | BigInt64Array) =>
  new Uint8Array(array.buffer, array.byteOffset, array.byteLength)

/** Where the operators beyond the standard's come from. */
const runtimeDomain = 'com.microsoft'

/** A graph under construction; every function answers the name of the tensor it made. */
export interface OnnxGraph {
  node(operator: string, inputs: readonly string[], output: string, attributes?: Readonly<Record<string, AttributeValue>>): string
  /** The same for an operator that onnxruntime has beyond the standard. */
  runtimeNode(operator: string, inputs: readonly string[], output: string, attributes?: Readonly<Record<string, AttributeValue>>): string
  constant(name: string, shape: readonly number[], type: TensorType, raw: Uint8Array): string
  floats(name: string, shape: readonly number[], values: Float32Array): string
  input(name: string, shape: readonly (number | string)[]): string
  output(name: string, shape: readonly (number | string)[]): string
  /** The finished file. The same calls give the same bytes. */
  encode(): Buffer
}

/** Starts an empty graph. Inputs and outputs are float tensors. */
export function createOnnxGraph(name: string): OnnxGraph {
  const nodes: Uint8Array[] = []
  const constants: Uint8Array[] = []
  const inputs: Uint8Array[] = []
  const outputs: Uint8Array[] = []
  let usesRuntimeDomain = false
  const encoded = (
    operator: string,
    inputNames: readonly string[],
    output: string,
    attributes: Readonly<Record<string, AttributeValue>>,
  ) => {
    const names = inputNames.map((input) => text(1, input))
    const values = Object.entries(attributes).map(([key, value]) => message(5, attribute(key, value)))
    return [...names, text(2, output), text(3, `${operator}_${nodes.length}`), text(4, operator), ...values]
  }
  const graph: OnnxGraph = {
    node(operator, inputNames, output, attributes = {}) {
      nodes.push(message(1, encoded(operator, inputNames, output, attributes)))
      return output
    },
    runtimeNode(operator, inputNames, output, attributes = {}) {
      usesRuntimeDomain = true
      nodes.push(message(1, [...encoded(operator, inputNames, output, attributes), text(7, runtimeDomain)]))
      return output
    },
    constant(constantName, shape, type, raw) {
      constants.push(message(5, [...shape.map((size) => integer(1, size)), integer(2, type), text(8, constantName), bytes(9, raw)]))
      return constantName
    },
    floats: (constantName, shape, values) => graph.constant(constantName, shape, tensorType.float, rawBytes(values)),
    input(inputName, shape) {
      inputs.push(message(11, valueDescription(inputName, tensorType.float, shape)))
      return inputName
    },
    output(outputName, shape) {
      outputs.push(message(12, valueDescription(outputName, tensorType.float, shape)))
      return outputName
    },
    encode() {
      const body = [...nodes, text(2, name), ...constants, ...inputs, ...outputs]
      const operatorSets = [message(8, [text(1, ''), integer(2, 17)])]
      if (usesRuntimeDomain) operatorSets.push(message(8, [text(1, runtimeDomain), integer(2, 1)]))
      return Buffer.concat([integer(1, 8), text(2, 'fieldloop'), message(7, body), ...operatorSets])
    },
  }
  return graph
}
