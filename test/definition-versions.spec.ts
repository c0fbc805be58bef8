/** Which changes of definitions have saves compiled anew, and which leave the catalog that they have kept alone. */
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

import type { Platform } from '#platform/platform.ts'

import { openPipelineWorld, type PipelineWorld } from './support/pipeline.ts'

let opened: PipelineWorld
let platform: Platform
let statements: string[] = []
beforeAll(async () => {
  opened = await openPipelineWorld()
  platform = await opened.open({}, { onStatement: (text) => void statements.push(text) })
})
afterAll(() => opened?.close())

const call = (name: string, input: unknown) => opened.call(name, input, { on: platform })

/** What a save reads of the catalog beside its version. */
async function readForSave(key1: string): Promise<number> {
  statements = []
  await call('save_instance', { entity: 'Pump', key1, data: { Note: key1 } })
  expect(statements.filter((text) => /catalog_version as version/.test(text)).length).toBeGreaterThan(0)
  return statements.filter((text) => /from platform\.(?:entity_property|property_option)\b/.test(text)).length
}

const versions = async () => {
  const [row] = await opened.world.sql<{ catalog: number; other: number }[]>`
    select catalog_version::int as catalog, other_definitions_version::int as other
    from platform.tenant where tenant_id = ${opened.world.tenant.tenantId}`
  return { catalog: row?.catalog ?? 0, other: row?.other ?? 0 }
}

describe('the catalog that saves are compiled for', () => {
  beforeAll(async () => {
    await call('create_property', { internalName: 'Note', dataType: 'Text' })
    await call('create_property', { internalName: 'Remark', dataType: 'Text' })
    await call('create_entity', { internalName: 'Pump', properties: [{ property: 'Note' }] })
    await readForSave('P-0')
  })

  it.each([
    ['save_category', { internalName: 'Water' }],
    ['set_entity_display', { entity: 'Pump', languageCode: 'de-DE', name: 'Pumpe' }],
    ['set_property_display', { property: 'Note', languageCode: 'de-DE', name: 'Notiz' }],
    ['lock_property_translation', { property: 'Note', languageCode: 'de-DE', isLocked: true }],
  ])('stays where %s changes what shapes no record', async (name, input) => {
    const before = await versions()
    await call(name, input)
    expect(await versions()).toEqual({ catalog: before.catalog, other: before.other + 1 })
    expect(await readForSave(name)).toBe(0)
  })

  it('is read again where a change shapes records', async () => {
    const before = await versions()
    await call('attach_property', { entity: 'Pump', property: 'Remark' })
    expect(await versions()).toEqual({ catalog: before.catalog + 1, other: before.other })
    expect(await readForSave('after')).toBeGreaterThan(0)
    expect(await readForSave('later')).toBe(0)
  })
})
