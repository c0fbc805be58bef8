import type { Step } from './step.ts'

const conversationId = '{{#conversationId}}'
const inPath = '{{conversationId}}'
const channelId = '{{channelId}}'

/** Of the walk's own channel, so that it can sign a delivery as a mail service would. */
const webhookSecret = 'd2Fsay1vZi10aGUtcG9zdG1hbi1jb2xsZWN0aW9u'

const sign = [
  'const body = pm.variables.replaceIn(pm.request.body.raw)',
  "const [id, at] = [`walk-${pm.collectionVariables.get('run')}`, Math.floor(Date.now() / 1000)]",
  `const signed = CryptoJS.HmacSHA256(\`\${id}.\${at}.\${body}\`, CryptoJS.enc.Base64.parse('${webhookSecret}'))`,
  "pm.request.headers.upsert({ key: 'webhook-id', value: id })",
  "pm.request.headers.upsert({ key: 'webhook-timestamp', value: String(at) })",
  "pm.request.headers.upsert({ key: 'webhook-signature', value: `v1,${CryptoJS.enc.Base64.stringify(signed)}` })",
]

export const steps: readonly Step[] = [
  {
    operation: 'send_message',
    input: {
      to: { tenantUserId: '{{#myTenantUserId}}' },
      text: 'Is gate 4 open?',
      card: {
        choices: [
          { key: 'open', label: 'Open' },
          { key: 'shut', label: 'Shut' },
        ],
      },
    },
    keeps: { conversationId: 'answer.conversationId', messageId: 'answer.messageId' },
  },
  { operation: 'list_inbox', input: { pageSize: 5 } },
  { operation: 'get_message_status', input: { messageId: '{{messageId}}' } },
  { operation: 'answer_inbox_message', input: { messageId: '{{messageId}}', choice: 'open' } },
  { operation: 'await_reply', input: { conversationId, timeoutSeconds: 5 } },
  { operation: 'poll_replies', input: { conversationId } },
  { operation: 'mark_inbox_read', input: { messageId: '{{#messageId}}' } },
  { operation: 'get_conversation', input: { conversationId: inPath } },
  { operation: 'assign_conversation', input: { conversationId: inPath, tenantUserId: '{{#tenantUserId}}' } },
  { operation: 'list_conversations', input: { state: 'open', pageSize: 5 } },
  { operation: 'end_conversation', input: { conversationId, text: 'Thank you.' } },
  { operation: 'get_contact_preferences', input: { tenantUserId: '{{tenantUserId}}' } },
  {
    operation: 'set_contact_preferences',
    input: {
      tenantUserId: '{{tenantUserId}}',
      channelOrder: ['email', 'inbox'],
      quietHours: { start: '21:00', end: '07:00', timeZoneIana: 'Europe/Madrid' },
    },
  },
  {
    operation: 'create_channel',
    input: {
      internalName: 'Mail{{run}}',
      channel: 'email',
      provider: 'smtp',
      settings: { host: 'mail.invalid', port: 25, secure: false, from: 'ops-{{run}}@example.com' },
      secrets: { webhookSecret: `whsec_${webhookSecret}` },
    },
    keeps: { channelId: 'answer.channelId', channelKey: 'answer.channelKey' },
  },
  {
    operation: 'create_channel',
    title: 'A channel whose accounts people link',
    input: { internalName: 'Bot{{run}}', channel: 'telegram', provider: 'sandbox', settings: {} },
    keeps: { botId: 'answer.channelId' },
  },
  { operation: 'register_channel_address', input: { channel: 'Bot{{run}}' } },
  { operation: 'delete_channel', title: 'The channel whose accounts people link', input: { channelId: '{{botId}}' } },
  { operation: 'list_channels' },
  { operation: 'update_channel', input: { channelId, internalName: 'Post{{run}}' } },
  {
    operation: 'receive_channel_webhook',
    input: { channelKey: '{{channelKey}}' },
    headers: { 'Content-Type': 'application/json' },
    before: sign,
    body: JSON.stringify({
      from: 'ana-{{run}}@example.com',
      to: ['ops-{{run}}@example.com'],
      subject: 'Gate 4',
      text: 'It is open.',
      messageId: '<walk-{{run}}@example.com>',
    }),
  },
  {
    operation: 'create_channel',
    title: 'A channel without a vendor',
    input: { internalName: 'Trial{{run}}', channel: 'sms', provider: 'sandbox', settings: {} },
    keeps: { trialId: 'answer.channelId', trialKey: 'answer.channelKey' },
  },
  {
    operation: 'send_message_bulk',
    input: { recipients: [{ to: { tenantUserId: '{{#myTenantUserId}}' } }], text: 'Gate 4 is closed today.' },
  },
  {
    operation: 'schedule_message',
    input: { to: { tenantUserId: '{{#myTenantUserId}}' }, text: 'Gate 4 opens at nine.', localTime: '07:30' },
    keeps: { scheduledMessageId: 'answer.scheduledMessageId' },
  },
  { operation: 'cancel_scheduled_message', input: { scheduledMessageId: '{{scheduledMessageId}}' } },
  {
    operation: 'save_message_template',
    input: {
      internalName: 'Arrival{{run}}',
      languageCode: 'en-US',
      text: 'The crew arrives at [[$param.time]], [[$recipient.displayName]].',
    },
    keeps: { templateId: 'answer.templateId' },
  },
  { operation: 'list_message_templates' },
  {
    operation: 'send_message',
    title: 'By a template',
    input: { to: { tenantUserId: '{{#myTenantUserId}}' }, template: 'Arrival{{run}}', params: { time: 'ten' } },
  },
  { operation: 'delete_message_template', input: { templateId: '{{templateId}}' } },
  { operation: 'preview_message', input: { text: 'Is gate 4 open?', channels: ['sms'] } },
  {
    operation: 'send_message',
    title: 'To a number without a telephone',
    input: { to: { phone: '+34600123456' }, channel: 'Trial{{run}}', text: 'Is gate 4 open?' },
    keeps: { failedId: 'answer.messageId' },
  },
  {
    operation: 'receive_channel_webhook',
    title: 'The report that it failed',
    input: { channelKey: '{{trialKey}}' },
    headers: { 'Content-Type': 'application/json' },
    body: '{"kind": "status", "messageId": {{failedId}}, "status": "failed"}',
  },
  { operation: 'resend_message', input: { messageId: '{{failedId}}' } },
  { operation: 'delete_channel', title: 'The channel without a vendor', input: { channelId: '{{trialId}}' } },
  { operation: 'test_channel', input: { channelId, to: 'ana-{{run}}@example.com', timeoutSeconds: 0 } },
  { operation: 'delete_channel', input: { channelId } },
]
