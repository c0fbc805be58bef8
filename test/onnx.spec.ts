import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { ensureModels } from '#activities/recognition/models.ts'
import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'

const root = resolve(import.meta.dirname, '..')
const { cacheDir } = loadConfig()
const log = createLog('silent')

/** Each answers how many numbers or labels its model gave. */
const users = {
  'the search of the documentation': `
    const { createEmbedder } = await import('#platform/embeddings/embedder.ts')
    const { createLog } = await import('#platform/log.ts')
    const embedder = createEmbedder({ cacheDir, log: createLog('silent') })
    const kept = setInterval(() => {}, 1000)
    const { vectors } = await embedder.embed(['a sentence'])
    await embedder.end()
    clearInterval(kept)
    return vectors.length`,
  'the classifier': `
    const { loadClassifier } = await import('#activities/recognition/classify.ts')
    const classifier = await loadClassifier(models)
    const raster = { data: Buffer.alloc(64 * 64 * 3, 90), width: 64, height: 64, channels: 3 }
    return (await classifier.classify(raster, 0)).length`,
  'the reader of scenes': `
    const { openPicture } = await import('#activities/recognition/image.ts')
    const { createSceneReader } = await import('#activities/recognition/scene-text.ts')
    const picture = await openPicture('test/fixtures/recognition/sign.jpg', 'image', 1)
    return (await createSceneReader().read(picture)).length`,
}

describe('onnxruntime', () => {
  let folder = ''
  let models = {}
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'onnx-'))
    models = await ensureModels(cacheDir, log)
  })
  afterAll(() => rm(folder, { recursive: true, force: true }))

  it.each(Object.entries(users))('as %s uses it reports to nobody: it leaves no identifier, queue or log behind', async (name, body) => {
    const [home, temporary] = [join(folder, name, 'home'), join(folder, name, 'tmp')]
    await mkdir(home, { recursive: true })
    await mkdir(temporary)
    const script = `const cacheDir = ${JSON.stringify(cacheDir)}, models = ${JSON.stringify(models)}
      console.log('got', await (async () => {${body}})())`
    // Without the variables that silence the library by themselves: CI, GITHUB_ACTIONS and the like.
    const { stdout } = await promisify(execFile)(process.execPath, ['--input-type=module', '-e', script], {
      cwd: root,
      env: { PATH: process.env['PATH'], HOME: home, TMPDIR: temporary },
      timeout: 60_000,
    })
    expect(Number(/got (\d+)/.exec(stdout)?.[1])).toBeGreaterThan(0)
    expect(await readdir(home)).toEqual([])
    expect(await readdir(temporary)).toEqual([])
  })
})
