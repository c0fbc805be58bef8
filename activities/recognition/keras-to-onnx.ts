/** Turns a Keras network in TensorFlow.js layers format (convolutions, batch norms, additions, a dense head) into ONNX with int8 weights. */
import { z } from 'zod'

import { createOnnxGraph, rawBytes, tensorType, type AttributeValue, type OnnxGraph } from '#platform/onnx-writer.ts'

const pair = z.tuple([z.number(), z.number()])
const layer = z.object({
  name: z.string(),
  class_name: z.string(),
  inbound_nodes: z.array(z.array(z.tuple([z.string()], z.unknown()))),
  config: z.object({
    activation: z.string().optional(),
    padding: z.union([z.enum(['valid', 'same']), z.tuple([pair, pair])]).optional(),
    strides: pair.optional(),
    dilation_rate: pair.optional(),
    pool_size: pair.optional(),
    epsilon: z.number().optional(),
    batch_input_shape: z.array(z.number().nullable()).optional(),
  }),
})
type Layer = z.infer<typeof layer>

const topology = z.object({ config: z.object({ layers: z.array(layer).min(1) }) })
/** model.json of the layers format. */
export const kerasModel = z.object({
  format: z.literal('layers-model'),
  modelTopology: z.object({ model_config: topology }),
  weightsManifest: z.array(
    z.object({
      paths: z.array(z.string()),
      weights: z.array(z.object({ name: z.string(), shape: z.array(z.number()), dtype: z.literal('float32') })),
    }),
  ),
})
export type KerasModel = z.infer<typeof kerasModel>

interface Weight {
  readonly shape: readonly number[]
  readonly values: Float32Array
}

const sizeOf = (shape: readonly number[]) => shape.reduce((product, size) => product * size, 1)

function readWeights(model: KerasModel, readShard: (path: string) => Buffer): ReadonlyMap<string, Weight> {
  const weights = new Map<string, Weight>()
  for (const group of model.weightsManifest) {
    const joined = Buffer.concat(group.paths.map(readShard))
    let offset = 0
    for (const { name, shape } of group.weights) {
      const bytes = sizeOf(shape) * 4
      weights.set(name, {
        shape,
        values: new Float32Array(joined.buffer.slice(joined.byteOffset + offset, joined.byteOffset + offset + bytes)),
      })
      offset += bytes
    }
  }
  return weights
}

/** One scale per output channel, so that a channel of small weights keeps its precision. Symmetric: the zero point is 0. */
function addQuantized(graph: OnnxGraph, name: string, shape: readonly number[], values: Float32Array, channelAxis: number): string {
  const channels = shape[channelAxis] ?? 1
  const inner = sizeOf(shape.slice(channelAxis + 1))
  const channelOf = (index: number) => Math.floor(index / inner) % channels
  const scales = new Float32Array(channels)
  for (const [index, value] of values.entries()) scales[channelOf(index)] = Math.max(scales[channelOf(index)] ?? 0, Math.abs(value))
  for (const [channel, largest] of scales.entries()) scales[channel] = largest / 127 || 1e-8
  const quantized = new Int8Array(values.length)
  for (const [index, value] of values.entries())
    quantized[index] = Math.max(-127, Math.min(127, Math.round(value / (scales[channelOf(index)] ?? 1))))
  graph.constant(`${name}_int8`, shape, tensorType.int8, rawBytes(quantized))
  graph.floats(`${name}_scale`, [channels], scales)
  graph.constant(`${name}_zero`, [channels], tensorType.int8, rawBytes(new Int8Array(channels)))
  return graph.node('DequantizeLinear', [`${name}_int8`, `${name}_scale`, `${name}_zero`], name, { axis: channelAxis })
}

/** Keras stores kernels as height, width, in, out; ONNX reads out, in, height, width. */
function toOutputMajor(kernel: Weight): { shape: number[]; values: Float32Array } {
  const [height = 1, width = 1, inputs = 1, outputs = 1] = kernel.shape
  const values = new Float32Array(kernel.values.length)
  let from = 0
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++)
      for (let i = 0; i < inputs; i++)
        for (let o = 0; o < outputs; o++) values[((o * inputs + i) * height + y) * width + x] = kernel.values[from++] ?? 0
  return { shape: [outputs, inputs, height, width], values }
}

/**
 * The ONNX file of a Keras model: input `[N, 3, height, width]`, output `probabilities [N, classes]`. Batch norms are folded into the
 * convolutions before them, weights are int8 with float scales. Throws on a layer that it does not know. The same input gives the same bytes.
 */
export function convertKerasModel(model: KerasModel, readShard: (path: string) => Buffer): Buffer {
  const weights = readWeights(model, readShard)
  const weight = (layerName: string, part: string): Weight => {
    const found = weights.get(`${layerName}/${part}`)
    if (!found) throw new Error(`The model has no weight ${layerName}/${part}.`)
    return found
  }
  const layers = model.modelTopology.model_config.config.layers
  const graph = createOnnxGraph('classifier')
  // Where a layer's result really is: folded layers and activations answer another tensor than their own name.
  const tensors = new Map<string, string>()
  const sourcesOf = (item: Layer) => (item.inbound_nodes[0] ?? []).map(([source]) => tensors.get(source) ?? source)
  const normalizationAfter = (name: string) => {
    const consumers = layers.filter((item) => item.inbound_nodes[0]?.some(([source]) => source === name))
    return consumers.length === 1 && consumers[0]?.class_name === 'BatchNormalization' ? consumers[0] : undefined
  }
  const activate = (tensor: string, activation: string | undefined): string => {
    if (activation === undefined || activation === 'linear') return tensor
    if (activation === 'relu') return graph.node('Relu', [tensor], `${tensor}_relu`)
    if (activation === 'softmax') return graph.node('Softmax', [tensor], `${tensor}_softmax`, { axis: -1 })
    throw new Error(`The model has the activation ${activation}, which is not converted.`)
  }
  const padding = (item: Layer): Record<string, AttributeValue> => (item.config.padding === 'same' ? { auto_pad: 'SAME_UPPER' } : {})

  const convolve = (item: Layer, input: string): string => {
    const { shape, values } = toOutputMajor(weight(item.name, 'kernel'))
    const bias = Float32Array.from(weight(item.name, 'bias').values)
    const normalization = normalizationAfter(item.name)
    if (normalization) {
      const part = (name: string) => weight(normalization.name, name).values
      const [gamma, beta, mean, variance] = [part('gamma'), part('beta'), part('moving_mean'), part('moving_variance')]
      const perChannel = values.length / bias.length
      for (const [channel, old] of bias.entries()) {
        const factor = (gamma[channel] ?? 1) / Math.sqrt((variance[channel] ?? 1) + (normalization.config.epsilon ?? 0.001))
        for (let i = channel * perChannel; i < (channel + 1) * perChannel; i++) values[i] = (values[i] ?? 0) * factor
        bias[channel] = (old - (mean[channel] ?? 0)) * factor + (beta[channel] ?? 0)
      }
    }
    const kernel = addQuantized(graph, `${item.name}_kernel`, shape, values, 0)
    const shared = { kernel_shape: shape.slice(2), strides: item.config.strides ?? [1, 1], dilations: item.config.dilation_rate ?? [1, 1] }
    const output = graph.node('Conv', [input, kernel, graph.floats(`${item.name}_bias`, [bias.length], bias)], item.name, {
      ...shared,
      ...padding(item),
    })
    if (normalization) tensors.set(normalization.name, output)
    return activate(output, item.config.activation)
  }

  let classes = 0
  const build = (item: Layer): string => {
    const [first = '', ...others] = sourcesOf(item)
    switch (item.class_name) {
      case 'InputLayer': {
        const [, height, width] = item.config.batch_input_shape ?? []
        return graph.input(item.name, ['N', 3, height ?? 224, width ?? 224])
      }
      case 'ZeroPadding2D': {
        if (typeof item.config.padding !== 'object') throw new Error(`The layer ${item.name} has no padding.`)
        const [[top, bottom], [left, right]] = item.config.padding
        const pads = BigInt64Array.from([0, 0, top, left, 0, 0, bottom, right].map(BigInt))
        return graph.node('Pad', [first, graph.constant(`${item.name}_pads`, [8], tensorType.int64, rawBytes(pads))], item.name, {
          mode: 'constant',
        })
      }
      case 'Conv2D':
        return convolve(item, first)
      case 'BatchNormalization': {
        const folded = tensors.get(item.name)
        if (folded === undefined) throw new Error(`The batch norm ${item.name} does not follow a convolution.`)
        return folded
      }
      case 'Activation':
        return activate(first, item.config.activation)
      case 'MaxPooling2D':
        return graph.node('MaxPool', [first], item.name, {
          kernel_shape: item.config.pool_size ?? [2, 2],
          strides: item.config.strides ?? [2, 2],
          ...padding(item),
        })
      case 'Add':
        return graph.node('Add', [first, ...others], item.name)
      case 'GlobalAveragePooling2D':
        return graph.node('Flatten', [graph.node('GlobalAveragePool', [first], `${item.name}_mean`)], item.name, { axis: 1 })
      case 'Dense': {
        const kernel = weight(item.name, 'kernel')
        const bias = weight(item.name, 'bias').values
        classes = bias.length
        const quantized = addQuantized(graph, `${item.name}_kernel`, kernel.shape, kernel.values, 1)
        const output = graph.node('Gemm', [first, quantized, graph.floats(`${item.name}_bias`, [classes], bias)], item.name)
        return activate(output, item.config.activation)
      }
      default:
        throw new Error(`The model has a layer of the kind ${item.class_name}, which is not converted.`)
    }
  }
  let last = ''
  for (const item of layers) {
    last = build(item)
    tensors.set(item.name, last)
  }
  graph.node('Identity', [last], 'probabilities')
  graph.output('probabilities', ['N', classes])
  return graph.encode()
}
