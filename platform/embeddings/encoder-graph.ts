/** The encoder of multilingual-e5-small as an ONNX model: from the sum of a text's embeddings to a vector for each of its tokens. */
import { createOnnxGraph, type OnnxGraph, rawBytes, tensorType } from '../onnx-writer.ts'
import { blockSize, type PackedModel, repackForRuntime } from './packed-model.ts'

export const encoderInput = 'embeddings'
export const encoderOutput = 'states'

// Products with weights of four bits are computed on activations of eight.
const eightBitActivations = 4

function linear(graph: OnnxGraph, model: PackedModel, input: string, name: string, sizes: { from: number; to: number }): string {
  const { weights, scales } = repackForRuntime(model.blocks(`${name}.w`))
  const blocks = sizes.from / blockSize
  const packed = graph.constant(`${name}.w`, [sizes.to, blocks, blockSize / 2], tensorType.uint8, weights)
  const scale = graph.floats(`${name}.s`, [sizes.to * blocks], scales)
  const product = graph.runtimeNode('MatMulNBits', [input, packed, scale], `${name}.product`, {
    K: sizes.from,
    N: sizes.to,
    bits: 4,
    block_size: blockSize,
    accuracy_level: eightBitActivations,
  })
  return graph.node('Add', [product, graph.floats(`${name}.b`, [sizes.to], model.floats(`${name}.b`))], `${name}.sum`)
}

function normalised(graph: OnnxGraph, model: PackedModel, input: string, name: string, output = `${name}.normal`): string {
  const scale = graph.floats(`${name}.w`, [model.width], model.floats(`${name}.w`))
  const shift = graph.floats(`${name}.b`, [model.width], model.floats(`${name}.b`))
  return graph.node('LayerNormalization', [input, scale, shift], output, { axis: -1, epsilon: { float: model.epsilon } })
}

function attention(graph: OnnxGraph, model: PackedModel, input: string, name: string): string {
  const whole = { from: model.width, to: model.width }
  const headWidth = model.width / model.heads
  const numbers = (key: string, values: readonly number[]) =>
    graph.constant(`${name}.${key}`, [values.length], tensorType.int64, rawBytes(BigInt64Array.from(values, BigInt)))
  const apart = numbers('apart', [-1, model.heads, headWidth])
  const heads = (key: string, order: readonly number[]) => {
    const split = graph.node('Reshape', [linear(graph, model, input, `${name}.${key}`, whole), apart], `${name}.${key}.heads`)
    return graph.node('Transpose', [split], `${name}.${key}.turned`, { perm: order })
  }
  const likeness = graph.node('MatMul', [heads('q', [1, 0, 2]), heads('k', [1, 2, 0])], `${name}.likeness`)
  const scaled = graph.node(
    'Mul',
    [likeness, graph.floats(`${name}.scale`, [1], Float32Array.of(1 / Math.sqrt(headWidth)))],
    `${name}.scaled`,
  )
  const shares = graph.node('Softmax', [scaled], `${name}.shares`, { axis: -1 })
  const seen = graph.node('MatMul', [shares, heads('v', [1, 0, 2])], `${name}.seen`)
  const turned = graph.node('Transpose', [seen], `${name}.seen.turned`, { perm: [1, 0, 2] })
  const joined = graph.node('Reshape', [turned, numbers('together', [-1, model.width])], `${name}.joined`)
  return linear(graph, model, joined, `${name}.ao`, whole)
}

function layer(graph: OnnxGraph, model: PackedModel, input: string, name: string): string {
  const seen = graph.node('Add', [input, attention(graph, model, input, name)], `${name}.seen.sum`)
  const looked = normalised(graph, model, seen, `${name}.aln`)
  const wide = linear(graph, model, looked, `${name}.fi`, { from: model.width, to: model.innerWidth })
  const bent = graph.runtimeNode('Gelu', [wide], `${name}.bent`)
  const thought = linear(graph, model, bent, `${name}.fo`, { from: model.innerWidth, to: model.width })
  return normalised(graph, model, graph.node('Add', [looked, thought], `${name}.thought.sum`), `${name}.oln`)
}

/** The finished ONNX file, some 12 MB. */
export function encoderGraph(model: PackedModel): Buffer {
  const graph = createOnnxGraph('sentence encoder')
  let states = normalised(graph, model, graph.input(encoderInput, ['tokens', model.width]), 'emb.ln')
  for (let index = 0; index < model.layers; index += 1) states = layer(graph, model, states, `l${index}`)
  graph.node('Identity', [states], encoderOutput)
  graph.output(encoderOutput, ['tokens', model.width])
  return graph.encode()
}
