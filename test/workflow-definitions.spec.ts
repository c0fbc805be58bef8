/** Definitions of workflows: written piece by piece or whole, checked, published, copied, taken away. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { beforeAll, describe, expect, it } from 'vitest'

import { stepTypes } from '#tools/workflows/step-types/registry.rules.ts'
import { triggerTypes } from '#tools/workflows/trigger-types.rules.ts'

import { root } from './support/sources.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()
const { call, refusal } = world

type Issue = { path: string; severity: string; message: string; suggestion?: string }

let names = 0
const fresh = (prefix: string) => `${prefix}${++names}`

const approval = { internalName: 'check', stepType: 'approval', config: { question: 'Is [[Inspection.externalKey]] complete?' } }
const closing = {
  internalName: 'close',
  stepType: 'saveRecord',
  config: { entity: 'Inspection', eiRecordId: '[[Inspection.eiRecordId]]', values: { Status: 'closed' } },
}

const definition = (more: object = {}) => ({
  internalName: fresh('Flow'),
  entity: 'Inspection',
  roles: ['DataView', 'DataEdit', 'DataDelete'],
  variables: [{ name: 'tries', dataType: 'Number', value: 0 }],
  input: [{ name: 'orders', dataType: 'Text', isList: true }],
  steps: [approval, closing],
  triggers: [],
  ...more,
})

/** What validation says of steps. */
async function issuesOf(steps: unknown[], more: object = {}): Promise<Issue[]> {
  const said = definition({ steps, ...more })
  const { issues } = await call('import_workflow', said)
  const checked = await call('validate_workflow', { workflow: said.internalName })
  expect(checked.issues).toEqual(issues)
  return issues
}
const errors = (issues: Issue[]) => issues.filter(({ severity }) => severity === 'error')
const told = (issues: Issue[]) => errors(issues).map(({ path, suggestion }) => (suggestion === undefined ? path : `${path} ${suggestion}`))
const config = (stepType: string, said: object, more: object = {}) => ({ internalName: 'one', stepType, config: said, ...more })

beforeAll(async () => {
  for (const [internalName, dataType] of [
    ['Status', 'Text'],
    ['Inspector', 'Text'],
    ['Amount', 'Number'],
    ['Due', 'DateOnly'],
    ['IsDone', 'Boolean'],
    ['Email', 'Text'],
  ] as const)
    await call('create_property', { internalName, dataType, ...(internalName === 'Email' ? { isIdentityEmail: true } : {}) })
  await call('create_entity', {
    internalName: 'Inspection',
    properties: ['Status', 'Inspector', 'Amount', 'Due', 'IsDone'].map((property) => ({ property })),
  })
  await call('create_entity', { internalName: 'Defect', properties: [{ property: 'Status' }] })
  await call('create_entity', { internalName: 'Site', properties: [{ property: 'Status' }] })
  await call('attach_child_entity', { entity: 'Inspection', childEntity: 'Defect', isList: true })
  await call('create_report', { internalName: 'OpenDefects', definitionJson: { primaryEntityId: 'Defect' } })
  const layoutJson = { sections: [{ type: 'detail', name: 'all', fields: [{ property: 'Status' }] }] }
  await call('create_form', { entity: 'Inspection', internalName: 'InspectionForm', layoutJson })
})

describe('the types of steps', () => {
  it('are the twenty of the contract, each in a file of its own and nothing beside them', () => {
    const files = readdirSync(join(root, 'tools/workflows/step-types')).filter((file) => file !== 'registry.rules.ts')
    const kebab = (name: string) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`
    expect(stepTypes).toHaveLength(20)
    expect(stepTypes.map(({ stepTypeId }) => stepTypeId)).toEqual(stepTypes.map((_type, index) => index + 1))
    expect(files.toSorted()).toEqual(stepTypes.map(({ internalName }) => kebab(internalName)).toSorted())
    expect(triggerTypes.map(({ triggerTypeId }) => triggerTypeId)).toEqual(triggerTypes.map((_type, index) => index + 1))
  })

  it('have examples that their own configs take', () => {
    const faults = [...stepTypes, ...triggerTypes].flatMap(({ internalName, config: schema, example }) => {
      const read = schema.safeParse(example)
      return read.success ? [] : [internalName]
    })
    expect(faults).toEqual([])
  })

  it('are told by get_schema with their configs', async () => {
    const { stepTypes: shown } = await call('get_schema', { part: 'stepTypes' })
    expect(shown).toHaveLength(20)
    const ask = shown.find((type: { internalName: string }) => type.internalName === 'ask')
    expect(ask).toMatchObject({ stepTypeId: 3, kind: 'wait', roles: ['DataEdit'] })
    const fields = ['to', 'channel', 'text', 'template', 'params', 'card', 'choices', 'reminders', 'fallback', 'fallbackAfter']
    expect(Object.keys(ask.config.properties)).toEqual(fields)
    const { triggerTypes: triggers } = await call('get_schema', { part: 'triggerTypes' })
    const webhook = triggers.find((type: { internalName: string }) => type.internalName === 'webhookReceived')
    expect(Object.keys(webhook.config.properties)).toEqual(expect.arrayContaining(['scheme', 'secret', 'respond']))
  })
})

describe('a definition', () => {
  it('is written piece by piece', async () => {
    const workflow = fresh('Piece')
    const made = await call('create_workflow', {
      internalName: workflow,
      displays: [{ languageCode: 'en-US', name: 'By pieces' }],
      entity: 'Inspection',
    })
    expect(made).toMatchObject({
      internalName: workflow,
      name: 'By pieces',
      version: null,
      isEnabled: false,
      hasChanges: true,
      tenantUserId: null,
    })
    const { stepId } = await call('create_workflow_step', {
      workflow,
      internalName: 'check',
      stepTypeId: 2,
      position: 1,
      config: approval.config,
    })
    const second = await call('create_workflow_step', { workflow, ...closing })
    const action = await call('save_workflow_action', { workflow, stepId, internalName: 'approve', goTo: 'close' })
    const branch = await call('save_workflow_branch', {
      workflow,
      stepId,
      when: [{ property: 'Status', op: 'eq', value: 'x' }],
      goTo: 'end',
    })
    const { step } = await call('get_workflow_step', { workflow, stepId })
    expect(step).toMatchObject({
      stepId,
      stepType: 'approval',
      stepTypeId: 2,
      position: 1,
      actions: [{ actionId: action.actionId, internalName: 'approve', goTo: 'close' }],
      branches: [{ branchId: branch.branchId, goTo: 'end' }],
    })
    expect(await call('move_workflow_step', { workflow, stepId, direction: -1 })).toMatchObject({ moved: false })
    expect(await call('move_workflow_step', { workflow, stepId, direction: 1 })).toMatchObject({ moved: true, position: 2 })
    await call('reorder_workflow_steps', { workflow, stepIds: [stepId, second.stepId] })
    const { newStepId } = await call('duplicate_workflow_step', { workflow, stepId })
    const detail = await call('get_workflow', { workflow })
    expect(detail.steps.map((one: { internalName: string }) => one.internalName)).toEqual(['check', 'check2', 'close'])
    expect(detail.actions.map((one: { stepId: number }) => one.stepId)).toEqual([stepId, newStepId])
    expect(new Set(detail.actions.map((one: { actionId: number }) => one.actionId)).size).toBe(2)
    await call('delete_workflow_action', { workflow, stepId, actionId: action.actionId })
    await call('delete_workflow_branch', { workflow, stepId, branchId: branch.branchId })
    await call('delete_workflow_step', { workflow, stepId: newStepId })
    const after = await call('get_workflow', { workflow })
    expect([after.steps.length, after.actions, after.branches]).toEqual([2, [], []])
    expect((await refusal('get_workflow_step', { workflow, stepId: newStepId })).code).toBe('not_found')
    expect((await refusal('reorder_workflow_steps', { workflow, stepIds: [stepId] })).code).toBe('invalid_input')
  })

  it('is about an entity that there is', async () => {
    const wrong = await refusal('create_workflow', { internalName: fresh('About'), entity: 'Inspecton' })
    expect(wrong).toMatchObject({ code: 'unknown_entity', issues: [{ path: '$.entity', suggestion: 'Inspection' }] })
    const { internalName: workflow } = await call('create_workflow', { internalName: fresh('About'), entity: 'Inspection' })
    expect((await refusal('update_workflow', { workflow, entity: 999_999 })).code).toBe('unknown_entity')
    expect(await call('update_workflow', { workflow, entity: null })).toMatchObject({ entity: null })
  })

  it('refuses a step of an unknown type, with the nearest, and a name that stands already', async () => {
    const { internalName: workflow } = await call('import_workflow', definition())
    const wrong = await refusal('create_workflow_step', { workflow, internalName: 'x', stepType: 'aproval' })
    expect([wrong.code, wrong.issues?.[0]?.suggestion]).toEqual(['invalid_input', 'approval'])
    expect((await refusal('create_workflow_step', { workflow, internalName: 'x', stepTypeId: 21 })).code).toBe('invalid_input')
    expect((await refusal('create_workflow_step', { workflow, internalName: 'CHECK', stepType: 'wait' })).code).toBe('already_exists')
    expect((await refusal('create_workflow_step', { workflow, internalName: 'end', stepType: 'wait' })).code).toBe('invalid_input')
    expect((await refusal('create_workflow_step', { workflow, internalName: 'y', stepType: 'wait', retry: { tries: 2 } })).code).toBe(
      'invalid_input',
    )
  })

  it('leads to a step under its new name', async () => {
    const steps = [
      { ...approval, next: 'close', actions: [{ internalName: 'yes' }, { internalName: 'no', goTo: 'close' }] },
      { ...closing, when: [{ property: '$steps.check.action', op: 'eq', value: 'yes' }] },
    ]
    const { internalName: workflow } = await call('import_workflow', definition({ steps }))
    const { steps: before } = await call('get_workflow', { workflow })
    await call('update_workflow_step', { workflow, stepId: before[1].stepId, internalName: 'finish' })
    await call('update_workflow_step', { workflow, stepId: before[0].stepId, internalName: 'review', dueIn: 'P1D' })
    const { steps: after, validation } = await call('get_workflow', { workflow })
    expect(after[0]).toMatchObject({ stepId: before[0].stepId, internalName: 'review', next: 'finish', dueIn: 'P1D' })
    expect(after[0].actions[1].goTo).toBe('finish')
    expect(after[1].when[0].property).toBe('$steps.review.action')
    expect(errors(validation?.issues ?? [])).toEqual([])
    await call('update_workflow_step', { workflow, stepId: before[0].stepId, dueIn: null })
    expect((await call('get_workflow_step', { workflow, stepId: before[0].stepId })).step).not.toHaveProperty('dueIn')
  })

  it('comes back from an export as it went in, and keeps the ids of its steps', async () => {
    const said = definition({
      displays: [{ languageCode: 'en-US', name: 'Round' }],
      description: 'There and back',
      steps: [
        approval,
        {
          internalName: 'each',
          stepType: 'forEach',
          config: { over: { children: 'Defect' }, steps: [{ ...closing, internalName: 'inner' }] },
        },
      ],
      triggers: [{ triggerType: 'recordCreated', config: { entity: 'Inspection' } }],
    })
    const { issues } = await call('import_workflow', said)
    expect(errors(issues)).toEqual([])
    expect(await call('export_workflow', { workflow: said.internalName })).toEqual(said)
    const before = await call('get_workflow', { workflow: said.internalName })
    await call('import_workflow', { ...said, steps: said.steps.toReversed() })
    const after = await call('get_workflow', { workflow: said.internalName })
    expect(after.workflow.workflowId).toBe(before.workflow.workflowId)
    expect(after.steps.map((one: { stepId: number }) => one.stepId)).toEqual(
      before.steps.map((one: { stepId: number }) => one.stepId).toReversed(),
    )
    const copy = await call('clone_workflow', { workflow: said.internalName, internalName: fresh('Copy') })
    const copied = await call('get_workflow', { workflow: copy.internalName })
    expect(copied.steps[0].stepId).not.toBe(after.steps[0].stepId)
  })

  it('runs its steps in the order of their positions', async () => {
    const said = definition({
      steps: [
        { ...closing, position: 2 },
        { ...approval, position: 1 },
      ],
    })
    await call('import_workflow', said)
    const { steps } = await call('get_workflow', { workflow: said.internalName })
    expect(steps.map((one: { internalName: string }) => one.internalName)).toEqual(['check', 'close'])
  })

  it('keeps to what it names when that is renamed, and is told of when it goes', async () => {
    await call('create_property', { internalName: 'Colour', dataType: 'Text' })
    await call('create_entity', { internalName: 'Door', properties: [{ property: 'Colour' }] })
    const said = definition({
      entity: 'Door',
      steps: [
        {
          internalName: 'paint',
          stepType: 'saveRecord',
          config: { entity: 'Door', eiRecordId: '[[Door.eiRecordId]]', values: { Colour: '[[Door.Colour]]' } },
        },
      ],
    })
    await call('import_workflow', said)
    await call('update_property', { property: 'Colour', internalName: 'Paint' })
    await call('update_entity', { entity: 'Door', internalName: 'Gate' })
    const { steps, workflow } = await call('get_workflow', { workflow: said.internalName })
    expect(workflow.entity).toBe('Gate')
    expect(steps[0].config).toEqual({ entity: 'Gate', eiRecordId: '[[Gate.eiRecordId]]', values: { Paint: '[[Gate.Paint]]' } })
    const used = await refusal('delete_entity', { entity: 'Gate' })
    expect([used.code, used.message.includes(said.internalName)]).toEqual(['conflict', true])
  })
})

describe('validation', () => {
  it('finds nothing wrong with what is right', async () => {
    const lanes = [
      { internalName: 'office', steps: [{ internalName: 'bill', stepType: 'approval', config: { question: 'Is the bill right?' } }] },
      { internalName: 'site', steps: [{ internalName: 'tidy', stepType: 'wait', config: { for: 'PT1H' } }] },
    ]
    const steps = [
      { internalName: 'fill', stepType: 'form', config: { form: 'InspectionForm' }, assignee: { property: 'Inspector' } },
      { internalName: 'both', stepType: 'parallel', config: { lanes, join: 'any' } },
      { internalName: 'count', stepType: 'runReport', config: { report: 'OpenDefects' } },
      {
        internalName: 'each',
        stepType: 'forEach',
        config: {
          over: { children: 'Defect', filter: [{ property: 'Status', op: 'eq', value: '[[$vars.tries]]' }] },
          steps: [
            {
              internalName: 'shut',
              stepType: 'saveRecord',
              config: { entity: 'Defect', eiRecordId: '[[$item.eiRecordId]]', values: { Status: 'shut' } },
            },
          ],
        },
      },
      { internalName: 'find', stepType: 'getRecord', config: { entity: 'Site', key1: 'S-1' }, onError: 'continue' },
      {
        internalName: 'more',
        stepType: 'set',
        config: { values: { tries: { $expr: ['+', '[[$vars.tries]]', 1] } } },
        when: [
          { property: '$steps.find.record.Status', op: 'eq', value: 'open' },
          { property: 'Amount', op: 'gt', value: '[[$steps.count.totalCount]]' },
        ],
      },
      { internalName: 'tell', stepType: 'callOperation', config: { operation: 'list_instances', input: { entity: 'Defect' } } },
      {
        internalName: 'stop',
        stepType: 'end',
        config: { state: 'completed', output: { rows: '[[$steps.count.totalCount]]', late: '[[$trigger.by]]' } },
      },
    ]
    expect(errors(await issuesOf(steps))).toEqual([])
  })

  it.each([
    ['an unknown step type', [config('aproval', {})], ['$.steps[0].stepType approval']],
    ['a field that no config has', [config('wait', { four: 'P1D' })], ['$.steps[0].config.four for']],
    ['a field that no step has', [config('wait', { for: 'P1D' }, { nextt: 'end' })], ['$.steps[0].nextt next']],
    ['an unknown entity', [config('getRecord', { entity: 'Sitee', key1: 'a' })], ['$.steps[0].config.entity Site']],
    [
      'an unknown property',
      [config('saveRecord', { entity: 'Site', values: { Statuss: 1 } })],
      ['$.steps[0].config.values.Statuss Status'],
    ],
    ['an unknown form', [config('form', { form: 'InspectionFrom' })], ['$.steps[0].config.form InspectionForm']],
    ['an unknown report', [config('runReport', { report: 'OpenDefect' })], ['$.steps[0].config.report OpenDefects']],
    ['an unknown operation', [config('callOperation', { operation: 'list_instance' })], ['$.steps[0].config.operation list_instances']],
    [
      'a field that an operation does not take',
      [config('callOperation', { operation: 'list_instances', input: { entity: 'Site', fliters: [] } })],
      ['$.steps[0].config.input.fliters filters'],
    ],
    [
      'an operation that issues a secret',
      [config('callOperation', { operation: 'rotate_api_key', input: { apiKeyId: 1 } })],
      ['$.steps[0].config.operation'],
    ],
    [
      'an operation that waits',
      [config('callOperation', { operation: 'await_job', input: { jobId: 1 } })],
      ['$.steps[0].config.operation'],
    ],
    ['an unknown token', [config('approval', { question: '[[Inspektion.Status]]' })], ['$.steps[0].config.question Inspection']],
    ['an unknown property in a token', [config('approval', { question: '[[Inspection.Statsu]]' })], ['$.steps[0].config.question Status']],
    ['an unknown result', [config('approval', { question: '[[$steps.one.acton]]' })], ['$.steps[0].config.question action']],
    ['an unknown variable', [config('set', { values: { tris: 1 } })], ['$.steps[0].config.values.tris tries']],
    [
      'a condition over an unknown property',
      [config('wait', { for: 'P1D' }, { when: [{ property: 'Amont', op: 'eq', value: 1 }] })],
      ['$.steps[0].when[0].property Amount'],
    ],
    [
      'a condition over an unknown path',
      [config('wait', { for: 'P1D' }, { when: [{ property: '$vars.trie', op: 'eq', value: 1 }] })],
      ['$.steps[0].when[0].property tries'],
    ],
    [
      'an absent target',
      [config('wait', { for: 'P1D' }, { next: 'too' }), { ...config('wait', { for: 'P1D' }), internalName: 'two' }],
      ['$.steps[0].next two'],
    ],
    [
      'a step that nothing reaches',
      [config('wait', { for: 'P1D' }, { next: 'end' }), { ...config('wait', { for: 'P1D' }), internalName: 'two' }],
      ['$.steps[1]'],
    ],
    [
      'a loop without a wait',
      [
        config('set', { values: { tries: 1 } }),
        {
          ...config('decide', {}, { branches: [{ when: [{ property: '$vars.tries', op: 'lt', value: 3 }], goTo: 'one' }] }),
          internalName: 'two',
        },
      ],
      ['$.steps[1]'],
    ],
    [
      'a user who is not there',
      [config('approval', { question: 'a' }, { assignee: { tenantUserId: 999_999 } })],
      ['$.steps[0].assignee.tenantUserId'],
    ],
    [
      'people who are no users',
      [config('approval', { question: 'a' }, { assignee: { people: { entity: 'Site' } } })],
      ['$.steps[0].assignee.people.entity'],
    ],
    [
      'a property that names nobody',
      [config('approval', { question: 'a' }, { assignee: { property: 'IsDone' } })],
      ['$.steps[0].assignee.property'],
    ],
    [
      'a variable that names nobody',
      [config('approval', { question: 'a' }, { assignee: { variable: 'tres' } })],
      ['$.steps[0].assignee.variable tries'],
    ],
    [
      'two ways to name somebody',
      [config('approval', { question: 'a' }, { assignee: { role: 'DataEdit', variable: 'tries' } })],
      ['$.steps[0].assignee'],
    ],
    [
      'a secret that is not there',
      [config('callHttp', { method: 'GET', url: 'https://a.example', secretHeaders: { Authorization: 'nope' } })],
      ['$.steps[0].config.secretHeaders.Authorization'],
    ],
    [
      'a variable that an action sets and that is not there',
      [config('approval', { question: 'a' }, { actions: [{ internalName: 'yes', set: { trise: 1 } }] })],
      ['$.steps[0].actions[0].set.trise tries'],
    ],
    [
      'a value of another type than the variable has',
      [
        config('set', { values: { tries: 'two' } }),
        config('approval', { question: 'a' }, { internalName: 'two', actions: [{ internalName: 'yes', set: { tries: [1] } }] }),
        config('set', { values: { tries: { $expr: ['+', '[[$vars.tries]]', 1] } } }, { internalName: 'three' }),
        config('set', { values: { tries: null } }, { internalName: 'four' }),
      ],
      ['$.steps[0].config.values.tries', '$.steps[1].actions[0].set.tries'],
    ],
    [
      'two actions of one name',
      [config('approval', { question: 'a' }, { actions: [{ internalName: 'yes' }, { internalName: 'Yes', goTo: 'end' }] })],
      ['$.steps[0].actions[1].internalName'],
    ],
    [
      'two choices of one key',
      [
        config('ask', {
          to: { role: 'DataEdit' },
          text: 'So?',
          choices: [
            { key: 'a', label: 'Yes' },
            { key: 'a', label: 'No' },
          ],
        }),
      ],
      ['$.steps[0].config.choices[1].key'],
    ],
    ['a duration that is none', [config('wait', { for: '1 day' })], ['$.steps[0].config.for']],
    ['two steps of one name', [config('wait', { for: 'P1D' }), config('wait', { for: 'P1D' })], ['$.steps[1].internalName']],
    ['no step at all', [], ['$.steps']],
    [
      'a child that is none',
      [config('forEach', { over: { children: 'Site' }, steps: [config('wait', { for: 'P1D' }, { internalName: 'in' })] })],
      ['$.steps[0].config.over.children'],
    ],
    [
      'a target outside of its loop',
      [
        config('forEach', {
          over: { children: 'Defect' },
          steps: [{ ...config('wait', { for: 'P1D' }), internalName: 'in', next: 'one' }],
        }),
      ],
      ['$.steps[0].config.steps[0].next'],
    ],
    [
      'a name that no row of a report has, whose values stand under data',
      [
        config('runReport', { report: 'OpenDefects' }, { internalName: 'rows' }),
        config('forEach', {
          over: '[[$steps.rows.rows]]',
          steps: [
            config('approval', { question: '[[$item.sev]] [[$item.data.sev]]' }, { internalName: 'in' }),
            { internalName: 'which', stepType: 'decide', branches: [{ when: [{ property: '$item.sev', op: 'isEmpty' }], goTo: 'end' }] },
          ],
        }),
        config(
          'forEach',
          { over: { report: 'OpenDefects' }, steps: [config('approval', { question: '[[$item.sev]]' }, { internalName: 'in2' })] },
          { internalName: 'two' },
        ),
        config('approval', { question: '[[$steps.rows.rows[first].sev]]' }, { internalName: 'last' }),
      ],
      [
        '$.steps[3].config.question',
        '$.steps[1].config.steps[0].config.question',
        '$.steps[1].config.steps[1].branches[0].when[0].property',
        '$.steps[2].config.steps[0].config.question',
      ],
    ],
    [
      'a name that the elements of a list within an element cannot have',
      [
        config('forEach', {
          over: { children: 'Defect' },
          steps: [
            {
              ...config('forEach', {
                over: '[[$steps.each.rows]]',
                steps: [config('approval', { question: '[[$item.sev]]' }, { internalName: 'deep' })],
              }),
              internalName: 'inner',
            },
            config('runReport', { report: 'OpenDefects' }, { internalName: 'each' }),
          ],
        }),
      ],
      ['$.steps[0].config.steps[0].config.steps[0].config.question'],
    ],
    ['an element outside of a loop', [config('approval', { question: '[[$item.Status]]' })], ['$.steps[0].config.question']],
  ] as const)('finds %s', async (_what, steps, paths) => {
    const found = told(await issuesOf([...steps]))
    expect(found.map((line) => line.split(' ')[0])).toEqual(paths.map((line) => line.split(' ')[0]))
    const named = paths.filter((line) => line.includes(' '))
    expect(found).toEqual(expect.arrayContaining([...named]))
  })

  it('finds roles that a step needs and the workflow lacks', async () => {
    const steps = [
      closing,
      { internalName: 'drop', stepType: 'deleteRecord', config: { entity: 'Defect', eiRecordId: 1 } },
      config('callOperation', { operation: 'upload_asset', input: { fileName: 'a' } }),
    ]
    const lacking = errors(await issuesOf(steps, { roles: ['DataView'] }))
    expect(lacking.map(({ path }) => path)).toEqual(['$.steps[0].stepType', '$.steps[1].stepType', '$.steps[2].stepType'])
    expect(lacking.map(({ message }) => /DataEdit|DataDelete|FileEdit/.exec(message)?.[0])).toEqual(['DataEdit', 'DataDelete', 'FileEdit'])
  })

  it.each([
    ['an unknown trigger type', { triggerType: 'recordMade', config: { entity: 'Inspection' } }, ['$.triggers[0].triggerType']],
    [
      'a cron expression that is none',
      { triggerType: 'schedule', config: { cron: 'every day 7 x', timeZone: 'UTC' } },
      ['$.triggers[0].config.cron'],
    ],
    ['an interval below a minute', { triggerType: 'schedule', config: { every: 'PT5S' } }, ['$.triggers[0].config.every']],
    ['a webhook without a secret', { triggerType: 'webhookReceived', config: { scheme: 'standardWebhooks' } }, ['$.triggers[0]']],
    [
      'a filter over an unknown property',
      { triggerType: 'recordUpdated', config: { entity: 'Inspection' }, filter: [{ property: 'Statis', op: 'eq', value: 'a' }] },
      ['$.triggers[0].filter[0].property'],
    ],
    [
      'a filter over an unknown path',
      {
        triggerType: 'recordUpdated',
        config: { entity: 'Inspection' },
        filter: [{ property: '$trigger.befor.Status', op: 'eq', value: 'a' }],
      },
      ['$.triggers[0].filter[0].property'],
    ],
    [
      'properties that there are not',
      { triggerType: 'recordUpdated', config: { entity: 'Inspection', properties: ['Statis'] } },
      ['$.triggers[0].config.properties[0]'],
    ],
    [
      'tokens of a record in a batch',
      { triggerType: 'recordCreated', config: { entity: 'Inspection', perRecord: false } },
      ['$.steps[0].config.question', '$.steps[1].config.eiRecordId'],
    ],
    [
      'a date that is none',
      { triggerType: 'schedule', config: { entity: 'Inspection', property: 'Amount', offset: '-P1D' } },
      ['$.triggers[0].config.property'],
    ],
    [
      'a date that is none of the properties',
      { triggerType: 'schedule', config: { entity: 'Inspection', property: 'createdDate', offset: 'P1D' } },
      ['$.triggers[0].config.property'],
    ],
    [
      'a file that is none',
      { triggerType: 'attachmentSaved', config: { entity: 'Inspection', property: 'Status', when: 'saved' } },
      ['$.triggers[0].config.property'],
    ],
    [
      'a time zone that there is not, of a date too',
      {
        triggerType: 'schedule',
        config: { entity: 'Inspection', property: 'Due', offset: '-P1D', at: '09:00', timeZone: 'Europe/Madird' },
      },
      ['$.triggers[0].config.timeZone'],
    ],
    ['a channel that there is not', { triggerType: 'messageReceived', config: { channel: 'pigeon' } }, ['$.triggers[0].config.channel']],
    [
      'a state in which nothing of it ends',
      { triggerType: 'runCompleted', config: { of: 'workflow', states: ['failed', 'succeeded'] } },
      ['$.triggers[0].config.states[1]'],
    ],
  ] as const)('finds %s', async (_what, trigger, paths) => {
    const found = errors(await issuesOf([approval, closing], { triggers: [trigger] }))
    expect(found.map(({ path }) => path)).toEqual(paths)
  })

  it('finds variables that begin with a value of another type', async () => {
    const variables = [
      { name: 'count', dataType: 'Number', value: 'two' },
      { name: 'names', dataType: 'Text', isList: true, value: ['a', 1] },
      { name: 'since', dataType: 'DateOnly', value: '2026-02-28' },
      { name: 'none', dataType: 'Boolean', value: null },
    ]
    expect(told(await issuesOf([approval], { variables }))).toEqual(['$.variables[0].value', '$.variables[1].value'])
  })

  it('warns where the clock or a webhook starts runs that name their record', async () => {
    const every = [{ triggerType: 'schedule', config: { every: 'PT5M' } }]
    const warned = async (steps: unknown[]) =>
      (await issuesOf(steps, { triggers: every })).filter(({ path }) => path === '$.triggers[0]').map(({ severity }) => severity)
    expect(await warned([approval])).toEqual(['warning'])
    expect(await warned([{ ...approval, config: { question: 'Is all well?' } }])).toEqual([])
    const when = [{ property: '$trigger.eiRecordId', op: 'isNotEmpty' }]
    expect(await warned([{ ...approval, when }])).toEqual([])
  })

  it('warns of a task whose form those who get it do not see, and of no trigger on one', async () => {
    const fill = config('form', { form: 'InspectionForm' })
    const triggers = [{ triggerType: 'formSubmitted', config: { form: 'InspectionForm' } }]
    const warned = async () =>
      (await issuesOf([fill], { triggers }))
        .filter(({ severity }) => severity === 'warning')
        .map(({ path, message }) => `${path} ${message}`)
    expect(await warned()).toEqual([expect.stringMatching(/^\$\.steps\[0\]\.config\.form The form InspectionForm is not shared/)])
    await call('update_form', { form: 'InspectionForm', isShared: true })
    expect(await warned()).toEqual([])
    await call('update_form', { form: 'InspectionForm', isShared: false })
  })

  it('finds channels that there are not where steps name them', async () => {
    const to = { role: 'DataEdit' }
    const ask = (more: object) => config('ask', { to, text: 'So?', ...more })
    expect(told(await issuesOf([ask({ channel: 'smss', fallback: ['inbox', 'pigeon'] })]))).toEqual([
      '$.steps[0].config.channel sms',
      '$.steps[0].config.fallback[1]',
    ])
    expect(told(await issuesOf([config('notify', { to, text: 'So.', channel: 'emial' })]))).toEqual(['$.steps[0].config.channel email'])
    expect(told(await issuesOf([ask({ channel: 'whatsapp', fallback: ['Inbox', '[[$vars.tries]]'] })]))).toEqual([])
  })

  it('takes a filter on what was before and is after', async () => {
    const filter = [
      { property: '$trigger.before.Status', op: 'ne', value: 'submitted' },
      { property: '$trigger.after.Status', op: 'eq', value: 'submitted' },
    ]
    const triggers = [{ triggerType: 'recordUpdated', config: { entity: 'Inspection', properties: ['Status'] }, filter }]
    expect(errors(await issuesOf([approval, closing], { triggers }))).toEqual([])
  })

  it('warns of what is to happen once a step is overdue that is never due', async () => {
    const late = { ...approval, actions: [{ internalName: 'ok', goTo: 'end' }], onOverdue: { assign: { role: 'DataEdit' } } }
    const warned = async (step: object) => (await issuesOf([step])).map(({ path, severity }) => `${severity} ${path}`)
    expect(await warned(late)).toEqual(['warning $.steps[0].onOverdue'])
    expect(await warned({ ...late, dueIn: 'P1D' })).toEqual([])
  })

  it('warns where nothing asks which action it was', async () => {
    const warned = async (steps: unknown[]) =>
      (await issuesOf(steps)).filter(({ severity }) => severity === 'warning').map(({ path }) => path)
    expect(await warned([approval, closing])).toEqual(['$.steps[0]'])
    expect(await warned([approval, { ...closing, when: [{ property: '$steps.check.action', op: 'eq', value: 'approve' }] }])).toEqual([])
    const leading = { ...approval, actions: [{ internalName: 'approve' }, { internalName: 'reject', goTo: 'end' }] }
    expect(await warned([leading, closing])).toEqual([])
    expect(await warned([{ ...closing, internalName: 'first' }, leading])).toEqual(['$.steps[1]'])
  })

  it('looks through two hundred steps of nested lanes without holding others up', async () => {
    const inner = (n: number) =>
      Array.from({ length: 20 }, (_none, index) => ({
        internalName: `s${n}x${index}`,
        stepType: 'approval',
        config: { question: `[[Inspection.Status]] ${index}` },
      }))
    const steps = Array.from({ length: 20 }, (_none, n) => ({
      internalName: `p${n}`,
      stepType: 'parallel',
      config: { lanes: [{ internalName: `l${n}`, steps: inner(n) }] },
    }))
    expect(errors(await issuesOf(steps))).toEqual([])
    const deep = (n: number): unknown =>
      n === 0
        ? config('wait', { for: 'P1D' }, { internalName: 'w' })
        : { internalName: `d${n}`, stepType: 'forEach', config: { over: '[[$input.orders]]', steps: [deep(n - 1)] } }
    expect(errors(await issuesOf([deep(4)]))).toEqual([])
    expect(told(await issuesOf([deep(5)]))[0]).toMatch(/steps\[0\]$|steps$/)
  })
})

describe('a diagram', () => {
  it('shows where steps lead, and nothing of what a name could smuggle into a page', async () => {
    const steps = [
      { ...approval, actions: [{ internalName: 'yes' }, { internalName: 'no', goTo: 'end' }] },
      config('parallel', { lanes: [{ internalName: 'l', steps: [{ ...closing, internalName: 'inner' }] }] }),
    ]
    const { internalName: workflow } = await call('import_workflow', definition({ steps }))
    const { mermaid, svg } = await call('get_workflow_diagram', { workflow })
    expect(mermaid.split('\n')).toEqual([
      'flowchart TD',
      'n0(["check: approval"])',
      'n1(("end"))',
      'n2["one: parallel"]',
      'n3["inner: saveRecord"]',
      'n0 -->|no| n1',
      'n0 --> n2',
      'n2 -.-> n3',
    ])
    for (const text of ['check: approval', 'end', 'one: parallel', 'inner: saveRecord']) expect(svg).toContain(`>${text}</text>`)
    expect(svg.startsWith('<svg')).toBe(true)
    expect(svg).not.toMatch(/https?:\/\/fonts|<script/)
    const odd = await call(
      'import_workflow',
      definition({ steps: [{ internalName: '<script>x</script>"]', stepType: 'wait', config: { for: 'P1D' } }] }),
    )
    expect((await call('get_workflow_diagram', { workflow: odd.internalName })).svg).not.toContain('<script')
  })
})

describe('publishing', () => {
  it('freezes versions, and tells in words what differs', async () => {
    const said = definition()
    await call('import_workflow', said)
    const first = await call('publish_workflow', { workflow: said.internalName })
    expect(first).toMatchObject({ version: 1, isEnabled: true, hasChanges: false })
    expect(first.tenantUserId).toBeGreaterThan(0)
    const { steps } = await call('get_workflow', { workflow: said.internalName })
    await call('update_workflow_step', { workflow: said.internalName, stepId: steps[0].stepId, dueIn: 'P3D' })
    await call('create_workflow_step', {
      workflow: said.internalName,
      internalName: 'stop',
      stepType: 'end',
      config: { state: 'completed' },
    })
    expect((await call('get_workflow', { workflow: said.internalName })).workflow).toMatchObject({ version: 1, hasChanges: true })
    const second = await call('publish_workflow', { workflow: said.internalName })
    expect([second.version, second.tenantUserId]).toEqual([2, first.tenantUserId])
    const before = await call('get_workflow', { workflow: said.internalName, version: 1 })
    expect([before.steps.length, before.steps[0].dueIn]).toEqual([2, undefined])
    expect((await refusal('get_workflow', { workflow: said.internalName, version: 3 })).code).toBe('not_found')
    const versions = await call('list_workflow_versions', { workflow: said.internalName })
    expect(
      versions.map((one: { version: number; isCurrent: boolean; changes: string[] }) => [one.version, one.isCurrent, one.changes]),
    ).toEqual([
      [2, true, ['step stop added', 'step check: dueIn changed']],
      [1, false, ['first version: 2 steps']],
    ])
  })

  it('refuses a faulty draft with its issues, and leaves it a draft', async () => {
    const said = definition({ steps: [config('wait', { for: 'P1D' }, { next: 'nowhere' })] })
    await call('import_workflow', said)
    const refused = await refusal('publish_workflow', { workflow: said.internalName })
    expect([refused.code, refused.issues?.map(({ path }) => path)]).toEqual(['unprocessable', ['$.steps[0].next']])
    expect((await call('get_workflow', { workflow: said.internalName })).workflow.version).toBeNull()
  })

  it('refuses roles that the publisher lacks, and asks for them again when it is resumed', async () => {
    const said = definition()
    await call('import_workflow', said)
    const builder = await world.tenant.keyWith(['BuilderAdmin', 'DataView'])
    expect((await refusal('publish_workflow', { workflow: said.internalName }, builder)).code).toBe('forbidden')
    await call('publish_workflow', { workflow: said.internalName })
    expect(await call('toggle_workflow', { workflow: said.internalName, isEnabled: false }, { key: builder })).toMatchObject({
      isEnabled: false,
    })
    expect((await refusal('toggle_workflow', { workflow: said.internalName, isEnabled: true }, builder)).code).toBe('forbidden')
    expect(await call('toggle_workflow', { workflow: said.internalName, isEnabled: true })).toMatchObject({ isEnabled: true })
    const draft = definition()
    await call('import_workflow', draft)
    expect((await refusal('toggle_workflow', { workflow: draft.internalName, isEnabled: true })).code).toBe('conflict')
  })

  it('warns of an entity whose access rules give its user nothing, until they name it', async () => {
    const tenant = await world.newTenant()
    const as = { key: tenant.key }
    await call('create_property', { internalName: 'Status', dataType: 'Text' }, as)
    await call('create_entity', { internalName: 'Vault', properties: [{ property: 'Status' }] }, as)
    await call('set_entity_access', { entity: 'Vault', rules: [{ role: 'BuilderAdmin', read: true, create: true, edit: true }] }, as)
    const steps = [{ internalName: 'open', stepType: 'saveRecord', config: { entity: 'Vault', key1: 'V-1', values: { Status: 'open' } } }]
    await call('import_workflow', { internalName: 'Locked', roles: ['DataEdit'], steps }, as)
    const { issues, tenantUserId } = await call('publish_workflow', { workflow: 'Locked' }, as)
    expect(issues.map((one: Issue) => [one.path, one.severity])).toEqual([['$.steps[0].config.entity', 'warning']])
    await call('set_entity_access', { entity: 'Vault', rules: [{ tenantUserId, read: true, create: true, edit: true }] }, as)
    expect((await call('validate_workflow', { workflow: 'Locked' }, as)).issues).toEqual([])
  })

  it('warns of a trigger on records that its user does not see: none of them would start it', async () => {
    const tenant = await world.newTenant()
    const as = { key: tenant.key }
    await call('create_property', { internalName: 'Status', dataType: 'Text' }, as)
    await call('create_entity', { internalName: 'Vault', properties: [{ property: 'Status' }] }, as)
    await call('set_entity_access', { entity: 'Vault', rules: [{ role: 'BuilderAdmin', read: true, create: true }] }, as)
    const steps = [{ internalName: 'tell', stepType: 'notify', config: { to: { role: 'DataEdit' }, text: 'New.' } }]
    const triggers = [{ triggerType: 'recordCreated', config: { entity: 'Vault' } }]
    await call('import_workflow', { internalName: 'Deaf', roles: ['DataEdit'], steps, triggers }, as)
    const { issues } = await call('publish_workflow', { workflow: 'Deaf' }, as)
    expect(issues.map((one: Issue) => [one.path, one.severity])).toEqual([['$.triggers[0].config.entity', 'warning']])
  })

  it('keeps the name of a deleted workflow free, and its versions for their runs', async () => {
    const said = definition()
    const { workflowId } = await call('import_workflow', said)
    await call('publish_workflow', { workflow: said.internalName })
    expect(await call('delete_workflow', { workflow: said.internalName })).toEqual({ workflowId, deleted: true })
    expect((await refusal('get_workflow', { workflow: workflowId })).code).toBe('not_found')
    const again = await call('import_workflow', said)
    expect(again.workflowId).not.toBe(workflowId)
    const [kept] = await world.sql<
      { count: number }[]
    >`select count(*)::int from platform.workflow_version where workflow_id = ${workflowId}`
    expect(kept?.count).toBe(1)
  })
})

describe('webhook triggers', () => {
  const webhook = { internalName: 'erp', triggerType: 'webhookReceived', config: { scheme: 'standardWebhooks' } }

  it('get an address that stays, and a secret that is shown once', async () => {
    const said = definition({ steps: [approval] })
    await call('import_workflow', said)
    const { triggers: first } = await call('set_workflow_triggers', { workflow: said.internalName, triggers: [webhook] })
    expect(first[0].secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/)
    expect(first[0].url.endsWith(`/api/v1/workflows/webhooks/${first[0].triggerKey}`)).toBe(true)
    const { triggers: second } = await call('set_workflow_triggers', {
      workflow: said.internalName,
      triggers: [{ triggerType: 'manual' }, webhook],
    })
    expect(second[1]).toMatchObject({ triggerId: first[0].triggerId, triggerKey: first[0].triggerKey })
    expect(second[1]).not.toHaveProperty('secret')
    expect(errors((await call('validate_workflow', { workflow: said.internalName })).issues)).toEqual([])
    expect(JSON.stringify(await call('get_workflow', { workflow: said.internalName }))).not.toContain(first[0].secret)
    const rows = await world.sql`select trigger_type from platform.workflow_trigger where tenant_id = ${world.tenant.tenantId}`
    expect(rows).not.toContainEqual({ triggerType: 'webhookReceived' })
    await call('publish_workflow', { workflow: said.internalName })
    const live =
      await world.sql`select trigger_type from platform.workflow_trigger where tenant_id = ${world.tenant.tenantId} and trigger_type = 'webhookReceived'`
    expect(live).toHaveLength(1)
  })

  it('take a secret of the owner, and never show it', async () => {
    const said = definition({ steps: [approval] })
    await call('import_workflow', said)
    const own = { triggerType: 'webhookReceived', config: { scheme: 'header', name: 'X-Key', secret: 'correct horse battery' } }
    const { triggers } = await call('set_workflow_triggers', { workflow: said.internalName, triggers: [own] })
    expect(triggers[0]).not.toHaveProperty('secret')
    expect(JSON.stringify(await call('export_workflow', { workflow: said.internalName }))).not.toContain('horse')
    expect(errors((await call('validate_workflow', { workflow: said.internalName })).issues)).toEqual([])
    const short = { triggerType: 'webhookReceived', config: { scheme: 'standardWebhooks', secret: 'short' } }
    expect((await refusal('set_workflow_triggers', { workflow: said.internalName, triggers: [short] })).issues?.[0]?.path).toBe(
      '$.triggers[0].config.secret',
    )
  })

  it('take a secret of the owner with the import, and tell of those that have none or cannot be signed with', async () => {
    const scheme = { scheme: 'header', name: 'X-Key' }
    const secret = 'correct horse battery'
    const own = { internalName: 'own', triggerType: 'webhookReceived', config: { ...scheme, secret } }
    const said = definition({ steps: [approval], triggers: [own] })
    const { issues } = await call('import_workflow', said)
    expect(errors(issues)).toEqual([])
    expect(JSON.stringify(await call('export_workflow', { workflow: said.internalName }))).not.toContain('horse')
    await call('publish_workflow', { workflow: said.internalName })
    const { triggers } = await call('get_workflow', { workflow: said.internalName })
    const receive = (key: string) =>
      world.run(
        'receive_workflow_webhook',
        { triggerKey: triggers[0].triggerKey },
        { raw: { body: Buffer.from('{}'), headers: { 'x-key': key }, url: '/' } },
      )
    expect(await receive(secret)).toMatchObject({ status: 202 })
    await expect(receive('another horse battery')).rejects.toMatchObject({ code: 'unauthenticated' })
    const manual = { internalName: 'hand', triggerType: 'manual', config: { secret } }
    const short = { internalName: 'short', triggerType: 'webhookReceived', config: { ...scheme, secret: 'short' } }
    const bare = { internalName: 'bare', triggerType: 'webhookReceived', config: scheme }
    const faulty = await call('import_workflow', definition({ steps: [approval], triggers: [manual, short, bare] }))
    expect(errors(faulty.issues).map(({ path }) => path)).toEqual([
      '$.triggers[0].config.secret',
      '$.triggers[1].config.secret',
      '$.triggers[1]',
      '$.triggers[2]',
    ])
    const kept = await world.sql`
      select 1 from platform.workflow_webhook where tenant_id = ${world.tenant.tenantId} and workflow_id = ${faulty.workflowId} and sealed_secret is not null`
    expect(kept).toEqual([])
  })
})

describe('secrets', () => {
  it('are kept under a name, never shown, and sent to their hosts alone', async () => {
    const saved = await call('save_secret', {
      internalName: 'erp',
      value: 'tok-123456',
      hosts: ['erp.example.com'],
      header: 'Authorization',
      prefix: 'Bearer ',
    })
    expect(saved).not.toHaveProperty('value')
    const again = await call('save_secret', {
      internalName: 'ERP',
      value: 'tok-654321',
      hosts: ['erp.example.com', 'erp2.example.com:8443'],
    })
    expect(again).toMatchObject({ secretId: saved.secretId, internalName: 'erp', header: null })
    expect(JSON.stringify(await call('list_secrets'))).not.toContain('tok-')
    const [row] = await world.sql<{ sealedValue: Buffer }[]>`select sealed_value from platform.secret where secret_id = ${saved.secretId}`
    expect(row?.sealedValue.toString('latin1')).not.toContain('tok-')
    const ask = (url: string) => config('callHttp', { method: 'GET', url, secretHeaders: { Authorization: 'erp' } })
    expect(errors(await issuesOf([ask('https://erp.example.com/a')]))).toEqual([])
    expect(errors(await issuesOf([ask('https://erp2.example.com:8443/a')]))).toEqual([])
    expect(told(await issuesOf([ask('https://evil.example.com/a')]))).toEqual(['$.steps[0].config.secretHeaders.Authorization'])
    expect((await refusal('save_secret', { internalName: 'x', value: 'a', hosts: ['https://erp.example.com/'] })).code).toBe(
      'invalid_input',
    )
    expect(await call('delete_secret', { secret: 'erp' })).toEqual({ secretId: saved.secretId, deleted: true })
    expect((await refusal('delete_secret', { secret: 'erp' })).code).toBe('not_found')
  })
})

describe('a part of the head', () => {
  it('is taken away by null', async () => {
    const said = definition({ maxDurationDays: 30 })
    await call('import_workflow', said)
    const none = { entity: null, roles: null, variables: null, input: null, maxDurationDays: null, concurrency: null }
    await call('update_workflow', { workflow: said.internalName, ...none })
    const kept = await call('export_workflow', { workflow: said.internalName })
    expect(Object.keys(none).filter((name) => name in kept)).toEqual([])
    expect(kept.steps).toHaveLength(2)
  })
})

describe('a hostile definition', () => {
  it('takes no ids for parts that are too many', async () => {
    const first = (await call('create_workflow', { internalName: fresh('Ids') })).workflowId
    const branches = Array.from({ length: 50_000 }, () => ({}))
    const steps = [{ internalName: 'choose', stepType: 'decide', config: {}, branches }]
    expect(await refusal('import_workflow', definition({ steps }))).toMatchObject({ code: 'too_large' })
    const second = (await call('create_workflow', { internalName: fresh('Ids') })).workflowId
    expect(second - first).toBeLessThan(10_000)
  })

  it('hides no error behind warnings: it is found, and not published', async () => {
    const noisy = { internalName: 'tell', stepType: 'notify', config: { to: { role: 'DataEdit' }, text: '[[$now|sum]]'.repeat(1_000) } }
    const also = { internalName: 'also', stepType: 'notify', config: { to: { role: 'DataEdit' }, text: '[[$now|sum]]' } }
    const unknown = { internalName: 'call', stepType: 'callOperation', config: { operation: 'no_such_tool', input: {} } }
    const said = definition({ steps: [noisy, also, unknown], triggers: [{ triggerType: 'schedule', config: { every: 'PT1S' } }] })
    await call('import_workflow', said)
    const { issues } = await call('validate_workflow', { workflow: said.internalName })
    expect(told(issues).some((path) => path.startsWith('$.steps[2]'))).toBe(true)
    expect(await refusal('publish_workflow', { workflow: said.internalName })).toMatchObject({ code: 'unprocessable' })
  })
})

describe('what a definition keeps', () => {
  it('is the owner’s where a step gets another name: values that are called as targets are', async () => {
    const values = { next: 'check', goTo: 'check' }
    const keeps = { internalName: 'keep', stepType: 'set', config: { values } }
    const said = definition({
      steps: [approval, keeps],
      variables: [
        { name: 'next', dataType: 'Text' },
        { name: 'goTo', dataType: 'Text' },
      ],
    })
    await call('import_workflow', said)
    const { steps } = await call('get_workflow', { workflow: said.internalName })
    const idOf = (name: string) => steps.find((one: { internalName: string }) => one.internalName === name).stepId
    await call('update_workflow_step', { workflow: said.internalName, stepId: idOf('check'), internalName: 'review' })
    const { step } = await call('get_workflow_step', { workflow: said.internalName, stepId: idOf('keep') })
    expect(step.config.values).toEqual(values)
  })

  it('does not use itself: a workflow that calls itself is deleted like any other', async () => {
    const { internalName } = await call('create_workflow', { internalName: fresh('Own') })
    const again = { internalName: 'again', stepType: 'runWorkflow', config: { workflow: internalName, wait: false } }
    await call('create_workflow_step', { workflow: internalName, ...again })
    expect(await call('delete_workflow', { workflow: internalName })).toMatchObject({ deleted: true })
  })
})
