/** Recognition for somebody who waits, the models, and what of findings goes into a record; Temporal and the engine have specs of their own. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import type { Findings } from '#platform/shapes/recognition.ts'
import type { CatalogEntity, CatalogProperty, DataType } from '#tools/entities/catalog.schema.ts'
import { valuesToWrite } from '#tools/intelligence/intelligence.rules.ts'
import { sealFindings, unsealFindings } from '#tools/intelligence/sealed-findings.ts'

import { openWorld, type TestTenant, type World } from './support/world.ts'

let world: World
let tenant: TestTenant
beforeAll(async () => {
  world = await openWorld()
  tenant = await world.newTenant()
})
afterAll(() => world.close())

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

describe('what is written of findings', () => {
  const property = (dataType: DataType, more: Partial<CatalogProperty> = {}): CatalogProperty => ({
    entityPropertyId: 1,
    propertyId: 1,
    columnId: 1,
    internalName: 'Target',
    dataType,
    isRequired: false,
    isList: false,
    keyPart: null,
    isSensitive: false,
    minValueOrLength: null,
    maxValueOrLength: null,
    maxDecimalPlaces: null,
    regEx: null,
    allowedFileTypes: [],
    options: [],
    optionFilter: null,
    isIdentityEmail: false,
    isIdentityPhone: false,
    analysis: null,
    ...more,
  })
  const entityOf = (one: CatalogProperty): CatalogEntity => ({
    entityId: 1,
    internalName: 'E',
    wipeNo: 0,
    isTenantUserRole: false,
    identityEmailPropertyId: null,
    identityPhonePropertyId: null,
    properties: [one],
    parents: [],
    children: [],
    peers: [],
  })
  const options = ['Traffic_Light', 'Crane'].map((internalName, n) => ({ optionId: n + 1, internalName, parentOptionId: null }))
  const ocr = (text: string) => ({ text, words: [], language: 'eng', confidence: 90 })
  const labels = [
    { label: 'traffic light', score: 0.81239 },
    { label: 'crane', score: 0.2 },
  ]

  it.each([
    ['text, trimmed', 'text', property('Text'), { ocr: ocr('  GATE 4\n\n') }, 'GATE 4'],
    ['text, cut to what the property takes', 'text', property('Text', { maxValueOrLength: 3 }), { ocr: ocr('GATE') }, 'GAT'],
    ['text, never cut through a character', 'text', property('Text', { maxValueOrLength: 3 }), { ocr: ocr('ab😀') }, 'ab'],
    ['labels in one text', 'labels', property('Text'), { labels }, 'traffic light, crane'],
    ['labels in one text, whole ones', 'labels', property('Text', { maxValueOrLength: 15 }), { labels }, 'traffic light'],
    ['labels in a list', 'labels', property('Text', { isList: true }), { labels }, ['traffic light', 'crane']],
    ['labels as options', 'labels', property('Choice', { isList: true, options }), { labels }, ['Traffic_Light', 'Crane']],
    [
      'labels as options that the entity allows',
      'labels',
      property('Choice', { isList: true, options, optionFilter: new Set([2]) }),
      { labels },
      ['Crane'],
    ],
    ['the first label as an option', 'topLabel', property('Choice', { options }), { labels }, 'Traffic_Light'],
    ['the first label as text', 'topLabel', property('Text'), { labels }, 'traffic light'],
    ['the score, as exact as the property', 'score', property('Number', { maxDecimalPlaces: 2 }), { labels }, 0.81],
  ] as const)('is %s', (_what, kind, target, findings, value) => {
    const { values, skipped } = valuesToWrite(entityOf(target), { [kind]: 1 }, findings)
    expect([values['Target'], skipped]).toEqual([value, []])
  })

  it.each([
    ['text', property('Text'), { ocr: ocr(' \n ') }, 'No text was found.'],
    ['score', property('Number'), { labels: [] }, 'No label was found.'],
    ['labels', property('Choice', { isList: true, options: [] }), { labels }, 'It has no option for "traffic light".'],
  ] as const)('is nothing where the finding for %s is empty or fits no option, and says so', (kind, target, findings, reason) => {
    expect(valuesToWrite(entityOf(target), { [kind]: 1 }, findings)).toEqual({ values: {}, skipped: [{ property: 'Target', reason }] })
  })

  it('is nothing for a target that was detached or has changed', () => {
    expect(valuesToWrite(entityOf(property('Text')), { text: 2 }, { ocr: ocr('x') })).toEqual({ values: {}, skipped: [] })
    const changed = valuesToWrite(entityOf(property('Text', { isList: true })), { text: 1 }, { ocr: ocr('x') })
    expect(changed).toEqual({ values: {}, skipped: [{ property: 'Target', reason: 'It is no longer a Text property.' }] })
  })
})
