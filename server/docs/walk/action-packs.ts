import type { Step } from './step.ts'

const actionPack = 'TellPack{{run}}'
const installId = '{{installId}}'
const actionRunId = '{{actionRunId}}'

const manifest = (version: string) => ({
  version,
  displays: [{ languageCode: 'en-US', name: 'Tell' }],
  settings: [{ name: 'event', dataType: 'Text', isRequired: true }],
  roles: ['DataView'],
  triggers: [
    { triggerType: 'manual', config: {} },
    { triggerType: 'webhookReceived', config: { scheme: 'header', name: 'X-Token', secret: 'only-of-this-walk-{{run}}' } },
  ],
  steps: [
    {
      internalName: 'look',
      stepType: 'callOperation',
      when: [{ property: '$trigger.input.fails', op: 'eq', value: true }],
      config: { operation: 'describe_entity', input: { entity: 'Absent{{run}}' } },
    },
    { internalName: 'heard', stepType: 'waitForEvent', config: { event: '[[$settings.event]]' } },
  ],
})

/** A run goes on by itself: lines that look at it until it has this state, for half a minute at most. */
const untilRunIs = (state: string): string[] => [
  'const asked = {',
  "  url: `${pm.variables.get('baseUrl')}/api/v1/action-center/runs/${pm.variables.get('actionRunId')}`,",
  "  method: 'POST',",
  "  header: { Authorization: `Bearer ${pm.variables.get('apiKey')}`, 'Content-Type': 'application/json' },",
  "  body: { mode: 'raw', raw: '{}' },",
  '}',
  'const look = (left) => pm.sendRequest(asked, (error, answer) => {',
  `  if (left > 0 && (error || answer.json().state !== '${state}')) setTimeout(() => look(left - 1), 300)`,
  '})',
  'look(100)',
]

export const steps: readonly Step[] = [
  { operation: 'list_trigger_types', input: {} },
  { operation: 'validate_action_pack', input: { internalName: actionPack, ...manifest('1.0.0') } },
  { operation: 'create_action_pack', input: { internalName: actionPack, ...manifest('1.0.0') } },
  { operation: 'list_action_packs', input: {} },
  { operation: 'describe_action_pack', input: { actionPack } },
  {
    operation: 'install_action_pack',
    input: { actionPack, settings: { event: 'heard' } },
    keeps: { installId: 'answer.installId', actionTriggerKey: 'answer.triggers[1].triggerKey' },
  },
  {
    operation: 'receive_action_webhook',
    input: { triggerKey: '{{actionTriggerKey}}' },
    headers: { 'Content-Type': 'application/json', 'X-Token': 'only-of-this-walk-{{run}}' },
    body: '{"order": 7}',
  },
  { operation: 'update_action_pack', input: { actionPack, ...manifest('1.1.0') } },
  { operation: 'update_action_pack_install', input: { installId, version: '1.1.0' } },
  { operation: 'list_action_pack_installs', input: {} },
  { operation: 'toggle_action_pack_install', input: { installId, isEnabled: true } },
  { operation: 'test_action_pack_install', input: { installId, payload: { input: {} } } },
  {
    operation: 'fire_action_pack_install',
    input: { installId, input: { fails: true } },
    keeps: { actionRunId: 'answer.actionRunId' },
  },
  { operation: 'retry_action_run', before: untilRunIs('failed'), input: { actionRunId } },
  { operation: 'get_action_run', input: { actionRunId } },
  {
    operation: 'fire_action_pack_install',
    title: 'to end it',
    input: { installId },
    keeps: { actionRunId: 'answer.actionRunId' },
  },
  { operation: 'cancel_action_run', input: { actionRunId } },
  { operation: 'list_action_runs', input: { installId: '{{#installId}}' } },
  { operation: 'get_action_center_summary', input: {} },
  { operation: 'uninstall_action_pack', input: { installId } },
  { operation: 'delete_action_pack', input: { actionPack } },
]
