/** What a definition names of records that a run holds: it follows renames, and nothing of it goes unasked. */
import { beforeAll, describe, expect, it } from 'vitest'

import { leastMs, longestTurn, turnLimitMs } from './support/turns.ts'
import { useWorld } from './support/world.ts'

const { call, refusal } = useWorld()

const tell = (internalName: string, text: string) => ({
  internalName,
  stepType: 'notify',
  config: { to: { role: 'DataEdit' }, text },
})

/** Every way to name a property of a record that is no record of its own workflow. */
const definition = (entity: string, child: string) => ({
  internalName: `Follow${entity}`,
  roles: ['DataView', 'DataEdit'],
  entity,
  steps: [
    {
      ...tell(
        'changed',
        '[[$trigger.before.Colour]] is [[ $trigger.after.Colour|upper ]] now: [[$trigger.after.eiRecordId]] [[$trigger.changed[first]]]',
      ),
      when: { logic: 'AND', rules: [{ property: '$trigger.after.Shade', op: 'in', value: ['dark', 'other'] }] },
    },
    { internalName: 'read', stepType: 'getRecord', config: { entity: child, key1: 'S' } },
    tell('wasRead', 'It is [[$steps.read.record.Colour]] and \\[[$steps.read.record.Colour]]'),
    {
      internalName: 'each',
      stepType: 'forEach',
      config: {
        over: { children: child },
        steps: [
          tell('one', '[[$item.Colour]]'),
          {
            internalName: 'inner',
            stepType: 'forEach',
            config: { over: '[[$vars.list]]', steps: [tell('other', '[[$item.Colour]] of [[$steps.read.record.Colour]]')] },
          },
        ],
      },
    },
    {
      internalName: 'until',
      stepType: 'waitForEvent',
      config: {
        trigger: {
          triggerType: 'recordUpdated',
          config: { entity: child, properties: ['Colour'] },
          filter: [{ property: '$trigger.after.Shade', op: 'eq', value: 'dark' }],
        },
      },
    },
    tell('wasChanged', '[[$steps.until.payload.after.Colour]]'),
    { internalName: 'sum', stepType: 'set', config: { values: { list: { $expr: ['concat', '[[$trigger.after.Colour]]', '!'] } } } },
  ],
  variables: [{ name: 'list', dataType: 'Text', isList: true }],
  triggers: [
    {
      triggerType: 'recordUpdated',
      config: { entity, properties: ['Colour'] },
      filter: [
        { property: '$trigger.before.Shade', op: 'ne', value: 'dark' },
        { property: 'Shade', op: 'eq', value: '[[$trigger.after.Shade]]' },
      ],
    },
    { triggerType: 'runCompleted', config: { of: 'workflow', name: 'Watched', states: ['failed'] } },
    { triggerType: 'runCompleted', config: { of: 'job', name: 'Watched' } },
  ],
})

beforeAll(async () => {
  await call('create_property', { internalName: 'Colour', dataType: 'Text' })
  await call('create_property', {
    internalName: 'Shade',
    dataType: 'Choice',
    propertyOptions: ['dark', 'bright'].map((internalName) => ({ internalName })),
  })
  const properties = [{ property: 'Colour' }, { property: 'Shade' }]
  await call('create_entity', { internalName: 'Wall', properties })
  await call('create_entity', { internalName: 'Stone', properties })
  await call('attach_child_entity', { entity: 'Wall', childEntity: 'Stone', isList: true })
  await call('create_workflow', { internalName: 'Watched' })
})

describe('records that a run holds', () => {
  it('are named by today’s names in a draft and in a published version, wherever they stand', async () => {
    const said = definition('Wall', 'Stone')
    const { issues } = await call('import_workflow', said)
    expect(issues.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
    await call('publish_workflow', { workflow: said.internalName })
    await call('update_property', { property: 'Colour', internalName: 'Paint' })
    await call('update_property', { property: 'Shade', internalName: 'Tone' })
    const { optionId } = await call('save_property_option', { property: 'Tone', internalName: 'dark' })
    await call('save_property_option', { property: 'Tone', optionId, internalName: 'deep' })
    await call('update_workflow', { workflow: 'Watched', internalName: 'Seen' })

    const exported = await call('export_workflow', { workflow: said.internalName })
    const expected = JSON.parse(
      JSON.stringify({ steps: said.steps, triggers: said.triggers })
        .replaceAll('Colour', 'Paint')
        .replaceAll('Shade', 'Tone')
        .replaceAll('"dark"', '"deep"')
        .replace('"name":"Watched"', '"name":"Seen"')
        // Two brackets that are meant, and the item of a list of which nothing is known.
        .replace('\\\\[[$steps.read.record.Paint', '\\\\[[$steps.read.record.Colour')
        .replace('[[$item.Paint]] of', '[[$item.Colour]] of'),
    )
    expect({ steps: exported.steps, triggers: exported.triggers }).toEqual(expected)
    const published = await call('get_workflow', { workflow: said.internalName, version: 1 })
    expect(JSON.stringify(published.steps)).not.toMatch(/Shade|after\.Colour|before\.Colour/)
  })

  it('are used: a property, an option and a workflow are not deleted while one names them', async () => {
    const steps = [{ ...tell('only', '[[$trigger.after.Kept]]'), when: [{ property: '$trigger.after.Sort', op: 'eq', value: 'first' }] }]
    await call('create_property', { internalName: 'Kept', dataType: 'Text' })
    await call('create_property', { internalName: 'Sort', dataType: 'Choice', propertyOptions: [{ internalName: 'first' }] })
    await call('create_entity', { internalName: 'Beam', properties: [{ property: 'Kept' }, { property: 'Sort' }] })
    await call('create_workflow', { internalName: 'Told' })
    const triggers = [
      { triggerType: 'recordCreated', config: { entity: 'Beam' } },
      { triggerType: 'recordUpdated', config: { entity: 'Beam' } },
      { triggerType: 'runCompleted', config: { of: 'workflow', name: 'Told' } },
    ]
    await call('import_workflow', { internalName: 'Uses', steps, triggers })
    const { optionId } = await call('save_property_option', { property: 'Sort', internalName: 'first' })
    for (const refused of [
      await refusal('detach_property', { entity: 'Beam', entityPropertyId: 'Kept' }),
      await refusal('delete_property_option', { property: 'Sort', optionId }),
      await refusal('delete_workflow', { workflow: 'Told' }),
    ])
      expect([refused.code, refused.message.includes('Uses')]).toEqual(['conflict', true])
  })

  it('are of several entities where several start it: a property is named once, and used in each', async () => {
    await call('create_property', { internalName: 'Length', dataType: 'Number' })
    for (const internalName of ['Pipe', 'Wire']) await call('create_entity', { internalName, properties: [{ property: 'Length' }] })
    const triggers = ['Pipe', 'Wire'].map((entity) => ({ triggerType: 'recordCreated', config: { entity } }))
    await call('import_workflow', { internalName: 'Both', steps: [tell('how', '[[$trigger.after.Length]] m')], triggers })
    for (const entity of ['Pipe', 'Wire'])
      expect((await refusal('detach_property', { entity, entityPropertyId: 'Length' })).code).toBe('conflict')
    await call('update_property', { property: 'Length', internalName: 'LengthInMetres' })
    const { steps } = await call('export_workflow', { workflow: 'Both' })
    expect(steps[0].config.text).toBe('[[$trigger.after.LengthInMetres]] m')
  })
})

describe('a large definition', () => {
  it('is looked through without holding others up', async () => {
    const texts = Array.from({ length: 4_800 }, (_one, n) => `${n} [[$trigger.after.Paint]]`)
    const steps = [{ internalName: 'keep', stepType: 'set', config: { values: { list: texts } } }]
    const triggers = [{ triggerType: 'recordUpdated', config: { entity: 'Wall' } }]
    const said = { internalName: 'Large', steps, triggers, variables: [{ name: 'list', dataType: 'Text', isList: true }] }
    expect(await leastMs(async () => (await longestTurn(() => call('import_workflow', said))).ms)).toBeLessThan(turnLimitMs)
    await call('update_property', { property: 'Paint', internalName: 'Colour' })
    const large = await call('export_workflow', { workflow: 'Large' })
    expect(large.steps[0].config.values.list.at(-1)).toBe('4799 [[$trigger.after.Colour]]')
  })

  it('is refused before anything is done with it where it has too many steps, in one list or in all', async () => {
    const many = (count: number, begin: string) => Array.from({ length: count }, (_one, n) => tell(`${begin}${n}`, 'x'))
    const within = (steps: object[]) => ({
      internalName: `in${steps.length}`,
      stepType: 'parallel',
      config: { lanes: [{ internalName: 'l', steps }] },
    })
    expect(await refusal('import_workflow', { internalName: 'TooMany', steps: many(201, 'a') })).toMatchObject({ code: 'invalid_input' })
    expect(await refusal('import_workflow', { internalName: 'TooMany', steps: [within(many(201, 'b'))] })).toMatchObject({
      code: 'too_large',
    })
    const lanes = ['c', 'd', 'e'].map((begin) => ({ internalName: begin, steps: many(180, begin) }))
    const all = { internalName: 'all', stepType: 'parallel', config: { lanes } }
    expect(await refusal('import_workflow', { internalName: 'TooMany', steps: [all] })).toMatchObject({ code: 'too_large' })
    expect((await refusal('get_workflow', { workflow: 'TooMany' })).code).toBe('not_found')
  })
})
