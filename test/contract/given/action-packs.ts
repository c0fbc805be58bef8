/** Working calls of the operations on packs. Nothing carries runs out here. */
import { beginRun } from '#platform/flow/advance.ts'
import { recordRunEnd } from '#tools/workflows/service.ts'

import type { Given, Stage } from '../arrange.ts'

const manifestOf = (internalName: string, version = '1.0.0') => ({
  internalName,
  version,
  displays: [{ languageCode: 'en-US', name: 'Tell' }],
  settings: [{ name: 'text', dataType: 'Text', isRequired: true }],
  roles: ['DataEdit'],
  triggers: [{ triggerType: 'manual', config: {} }],
  steps: [{ internalName: 'tell', stepType: 'notify', config: { to: { role: 'BuilderAdmin' }, text: '[[$settings.text]]' } }],
})

async function packOf({ call, unique }: Stage): Promise<string> {
  const actionPack = unique('Pack')
  await call('create_action_pack', manifestOf(actionPack))
  return actionPack
}

async function installed(stage: Stage): Promise<number> {
  const actionPack = await packOf(stage)
  return (await stage.call('install_action_pack', { actionPack, settings: { text: 'Done.' } })).installId
}

async function fired(stage: Stage): Promise<number> {
  return (await stage.call('fire_action_pack_install', { installId: await installed(stage) })).actionRunId
}

const onPack =
  (more: (actionPack: string) => Record<string, unknown> = () => ({})) =>
  async (stage: Stage) => {
    const actionPack = await packOf(stage)
    return { input: { actionPack, ...more(actionPack) } }
  }
const onInstall =
  (more: Record<string, unknown> = {}) =>
  async (stage: Stage) => ({ input: { installId: await installed(stage), ...more } })

export const given: Given = {
  list_action_packs: async (stage) => {
    await packOf(stage)
    return { input: {} }
  },
  describe_action_pack: onPack(),
  list_trigger_types: () => Promise.resolve({ input: {} }),
  create_action_pack: ({ unique }) => Promise.resolve({ input: manifestOf(unique('Pack')) }),
  update_action_pack: onPack((actionPack) => manifestOf(actionPack, '1.1.0')),
  delete_action_pack: onPack(),
  validate_action_pack: ({ unique }) => Promise.resolve({ input: manifestOf(unique('Pack')) }),
  install_action_pack: onPack(() => ({ settings: { text: 'Done.' } })),
  update_action_pack_install: onInstall({ settings: { text: 'Done again.' } }),
  uninstall_action_pack: onInstall(),
  list_action_pack_installs: async (stage) => {
    await installed(stage)
    return { input: {} }
  },
  toggle_action_pack_install: onInstall({ isEnabled: false }),
  test_action_pack_install: onInstall({ payload: { input: {} } }),
  fire_action_pack_install: onInstall(),
  list_action_runs: async (stage) => {
    await fired(stage)
    return { input: {}, varying: ['by'] }
  },
  get_action_run: async (stage) => ({ input: { actionRunId: await fired(stage) }, varying: ['at', 'by'] }),
  async retry_action_run(stage) {
    const runId = await fired(stage)
    const ref = { tenantId: stage.tenant.tenantId, runId }
    const { state: flow } = beginRun({ steps: [{ name: 'tell' }] })
    const end = { state: 'failed', because: 'step' } as const
    const failed = { ...flow, isFinished: true, ending: end, root: { ...flow.root, phase: 'failed' as const } }
    await recordRunEnd(stage.world.platform.services, { ...ref, ...end, epoch: 1, hadFailures: true, flow: failed })
    return { input: { actionRunId: runId }, varying: ['at', 'by'] }
  },
  cancel_action_run: async (stage) => ({ input: { actionRunId: await fired(stage) }, varying: ['at', 'by'] }),
  get_action_center_summary: async (stage) => {
    await fired(stage)
    return { input: {}, varying: ['from', 'to'] }
  },
}
