/** Lists of definitions answer whole, so that what a tenant defines has an end. */
import { describe, expect, it } from 'vitest'

import { useWorld } from './support/world.ts'

const world = useWorld()

describe('what a tenant defines', () => {
  it('ends at a number of properties, so that lists of definitions can answer whole, and can still be taken away', async () => {
    const { tenantId, key } = await world.newTenant()
    const by = { key }
    await world.call('create_property', { internalName: 'First', dataType: 'Text' }, by)
    const made = await world.sql`
      insert into platform.property (tenant_id, data_type_id, internal_name) select ${tenantId}, 5, 'P' || n from generate_series(1, 10000) n`
    expect(made.count).toBe(10_000)
    const more = (name: string, input: object) => world.call(name, input, by)
    await expect(more('create_property', { internalName: 'Last', dataType: 'Text' })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('10,000 properties'),
    })
    const document = { properties: [{ internalName: 'Imported', dataType: 'Text' }] }
    await expect(more('import_catalog', document)).rejects.toMatchObject({ code: 'too_large' })
    for (const property of ['P1', 'P2']) await more('delete_property', { property })
    await more('create_property', { internalName: 'Last', dataType: 'Text' })
    expect(await more('list_properties', {})).toHaveLength(10_000)
  })

  it('ends at the bytes of its texts', async () => {
    const { tenantId, key } = await world.newTenant()
    const { propertyId } = await world.call('create_property', { internalName: 'First', dataType: 'Text' }, { key })
    await world.sql`
      insert into platform.property_display (tenant_id, property_id, language_region_id, name, description)
      select ${tenantId}, ${propertyId}, language_region_id, 'x', repeat('y', 17000000) from platform.language order by language_region_id desc limit 1`
    const display = { property: 'First', languageCode: 'en-US', name: 'The first' }
    await expect(world.call('set_property_display', display, { key })).rejects.toMatchObject({
      code: 'too_large',
      message: expect.stringContaining('bytes of names'),
    })
  })

  it('ends at a number of channels', async () => {
    const { tenantId, key } = await world.newTenant()
    const channel = (internalName: string) =>
      world.call(
        'create_channel',
        {
          internalName,
          channel: 'email',
          provider: 'smtp',
          settings: { host: 'mail.example.com', port: 25, secure: false, from: 'ops@example.com' },
        },
        { key },
      )
    await channel('First')
    const made = await world.sql`
      insert into platform.channel (tenant_id, internal_name, channel, provider, settings, channel_key, created_date, modified_date)
      select tenant_id, 'C' || n, channel, provider, settings, channel_key || n, created_date, modified_date
      from platform.channel cross join generate_series(1, 199) n where tenant_id = ${tenantId}`
    expect(made.count).toBe(199)
    await expect(channel('Last')).rejects.toMatchObject({ code: 'too_large', message: expect.stringContaining('200 channels') })
    expect(await world.call('list_channels', {}, { key })).toHaveLength(201)
  })
})
