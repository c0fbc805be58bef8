/** Recognition for somebody who waits, the models, and what of findings goes into a record; Temporal and the engine have specs of their own. */
import { beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import type { Findings } from '#platform/shapes/recognition.ts'
import { sealFindings, unsealFindings } from '#tools/intelligence/sealed-findings.ts'

import { type TestTenant, useWorld } from './support/world.ts'

const world = useWorld()
let tenant: TestTenant
beforeAll(async () => {
  tenant = await world.newTenant()
})

// oxlint-disable-next-line typescript/no-explicit-any -- as World.call
const call = (name: string, input?: unknown, key = tenant.key): Promise<any> => world.call(name, input, { key })

async function newAsset(): Promise<string> {
  const { assetKey } = await world.call(
    'upload_asset',
    { fileName: 'a.txt', contentBase64: 'R2F0ZSA0' },
    { key: tenant.key, transport: 'mcp' },
  )
  return assetKey
}

const found: Findings = {
  state: 'done',
  ocr: { text: 'GATE 4\n', words: [{ text: 'GATE', confidence: 96, box: [0, 0, 10, 10] }], language: 'eng', confidence: 96 },
  durationMs: 12.4,
}

describe('recognition now', () => {
  it('says what is missing while there is no Temporal', async () => {
    for (const name of ['recognize_text', 'classify_image']) {
      await expect(call(name, { assetKey: await newAsset() })).rejects.toMatchObject({
        code: 'unavailable',
        message: expect.stringContaining('GET /readyz'),
      })
    }
  })

  it('refuses an asset that is not there, or is another tenant’s', async () => {
    const other = await world.newTenant()
    const assetKey = await newAsset()
    for (const [key, name] of [[crypto.randomUUID(), tenant.key] as const, [assetKey, other.key] as const]) {
      await expect(call('recognize_text', { assetKey: key }, name)).rejects.toMatchObject({
        code: 'invalid_input',
        issues: [{ path: '$.assetKey' }],
      })
    }
  })

  it('says what to do when it takes too long, and gives the work up', async () => {
    const { temporal } = world.platform.services
    const { execute, cancel } = temporal
    const asked: string[] = []
    const cancelled: string[] = []
    temporal.execute = async ({ workflowId }) => {
      asked.push(workflowId)
      throw new AppError('timeout', 'The workflow was not done within 52 seconds.')
    }
    temporal.cancel = async (workflowId) => void cancelled.push(workflowId)
    try {
      const assetKey = await newAsset()
      await expect(call('recognize_text', { assetKey })).rejects.toMatchObject({
        code: 'timeout',
        message: expect.stringContaining('set_attachment_analysis'),
      })
    } finally {
      Object.assign(temporal, { execute, cancel })
    }
    expect(asked).toHaveLength(1)
    expect(cancelled).toEqual(asked)
  })

  it('keeps its findings sealed on their way, for the tenant and the asset alone', async () => {
    const { services } = world.platform
    const assetKey = crypto.randomUUID()
    const sealed = await sealFindings(services, tenant.tenantId, assetKey, found)
    expect(Buffer.from(sealed, 'base64').includes('GATE')).toBe(false)
    expect(await unsealFindings(services, tenant.tenantId, assetKey, sealed)).toEqual(found)
    await expect(unsealFindings(services, world.tenant.tenantId, assetKey, sealed)).rejects.toThrow()
    await expect(unsealFindings(services, tenant.tenantId, crypto.randomUUID(), sealed)).rejects.toThrow()
  })

  it('packs the largest findings below what Temporal carries', async () => {
    const words = Array.from({ length: 5_000 }, (_, n) => ({
      text: `word${n}${Math.sin(n)}`,
      confidence: 90 + Math.cos(n),
      box: [n, n + 1, n + 2, n + 3] as [number, number, number, number],
      page: 1,
    }))
    const text = Array.from({ length: 500_000 }, (_, n) => String.fromCodePoint(0x4e00 + ((n * 7919) % 20_000))).join('')
    const sealed = await sealFindings(world.platform.services, tenant.tenantId, 'a', {
      state: 'done',
      ocr: { text, words, language: 'eng', confidence: 9 },
      durationMs: 1,
    })
    expect(sealed.length).toBeLessThan(2 * 1024 * 1024)
  })
})

describe('list_models', () => {
  it('names a classifier and what reads text', async () => {
    const models = await call('list_models')
    expect(models.map((model: { kind: string }) => model.kind)).toEqual(['classification', 'text', 'text'])
  })
})
