/** Says what a picture shows, by a network that knows the thousand things of ImageNet. */
import { readFile } from 'node:fs/promises'

import { InferenceSession, Tensor } from '#platform/onnx.ts'
import { z } from 'zod'

import { fromRaster, toRaster, type Raster } from './image.ts'
import { limits, type RecognizedLabel } from './types.ts'

/** Where a classifier lies: an ONNX file, and a JSON array of its labels in the order of its scores. */
export interface ClassifierPaths {
  readonly modelPath: string
  readonly labelsPath: string
}

export interface Classifier {
  /** The best labels of an RGB raster with at least `minScore` (0 to 1), the likeliest first. */
  classify(raster: Raster, minScore: number): Promise<readonly RecognizedLabel[]>
}

const side = 224
/** The network was trained on blue, green, red, less the mean of each over ImageNet. */
const channels = [
  { source: 2, mean: 103.939 },
  { source: 1, mean: 116.779 },
  { source: 0, mean: 123.68 },
] as const

/** Loads the model: about 0.1 s. */
export async function loadClassifier({ modelPath, labelsPath }: ClassifierPaths): Promise<Classifier> {
  const labels = z.array(z.string()).parse(JSON.parse(await readFile(labelsPath, 'utf8')))
  const session = await InferenceSession.create(modelPath, { intraOpNumThreads: 1, interOpNumThreads: 1, graphOptimizationLevel: 'all' })
  const [input = '', output = ''] = [session.inputNames[0], session.outputNames[0]]
  return {
    async classify(raster, minScore) {
      const result = await session.run({ [input]: await toTensor(raster) })
      const scores = result[output]?.data
      if (!(scores instanceof Float32Array) || scores.length !== labels.length)
        throw new Error('The classifier gives another number of scores than it has labels.')
      return [...scores]
        .map((score, index) => ({ label: labels[index] ?? '', score: Math.round(score * 10_000) / 10_000 }))
        .filter(({ score }) => score >= minScore)
        .sort((a, b) => b.score - a.score)
        .slice(0, limits.labels)
    },
  }
}

/**
 * The middle square of the picture: squashing the whole picture into the square instead costs two of 41 photographs. Cut before it is resized,
 * because a picture a thousand times as wide as high would grow beyond memory.
 */
async function toTensor(raster: Raster): Promise<Tensor> {
  const middle = Math.min(raster.width, raster.height)
  const [left, top] = [Math.floor((raster.width - middle) / 2), Math.floor((raster.height - middle) / 2)]
  const { data } = await toRaster(
    fromRaster(raster).extract({ left, top, width: middle, height: middle }).resize(side, side, { fit: 'fill' }),
  )
  const plane = side * side
  const values = new Float32Array(3 * plane)
  for (const [position, { source, mean }] of channels.entries())
    for (let i = 0; i < plane; i++) values[position * plane + i] = (data[3 * i + source] ?? 0) - mean
  return new Tensor('float32', values, [1, 3, side, side])
}
