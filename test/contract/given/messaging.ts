/** Working calls of messaging. */
import type { Given, Stage } from '../arrange.ts'

const settings = { accountSid: `AC${'0'.repeat(32)}`, from: '+15005550006' }

/** A message in the administrator's own inbox. */
async function asked({ call, tenant }: Stage): Promise<{ conversationId: number; messageId: number }> {
  return call('send_message', {
    to: { tenantUserId: tenant.tenantUserId },
    text: 'Is gate 4 open?',
    card: { choices: [{ key: 'open', label: 'Open' }] },
  })
}

async function channelOf({ call, unique }: Stage): Promise<{ channelId: number }> {
  return call('create_channel', {
    internalName: unique('Sms'),
    channel: 'sms',
    provider: 'twilio',
    settings,
    secrets: { authToken: 'of-the-contract' },
  })
}

async function template({ call, unique }: Stage): Promise<{ templateId: number }> {
  return call('save_message_template', { internalName: unique('Arrival'), languageCode: 'en-US', text: 'Is gate 4 open?' })
}

export const given: Given = {
  send_message: async ({ tenant }) => ({ input: { to: { tenantUserId: tenant.tenantUserId }, text: 'Is gate 4 open?' } }),
  async await_reply(stage) {
    const { conversationId, messageId } = await asked(stage)
    await stage.call('answer_inbox_message', { messageId, choice: 'open' })
    return { input: { conversationId, timeoutSeconds: 5 }, varying: ['at'] }
  },
  async poll_replies(stage) {
    const { conversationId, messageId } = await asked(stage)
    await stage.call('answer_inbox_message', { messageId, text: 'Yes' })
    return { input: { conversationId }, varying: ['at'] }
  },
  async end_conversation(stage) {
    const { conversationId } = await asked(stage)
    return { input: { conversationId, text: 'Thank you' } }
  },
  async list_conversations(stage) {
    await asked(stage)
    return { input: { state: 'open', tenantUserId: stage.tenant.tenantUserId } }
  },
  async get_conversation(stage) {
    const { conversationId } = await asked(stage)
    return { input: { conversationId }, varying: ['at'] }
  },
  async get_message_status(stage) {
    const { messageId } = await asked(stage)
    return { input: { messageId }, varying: ['at'] }
  },
  send_message_bulk: async ({ tenant }) => ({
    input: { recipients: [{ to: { tenantUserId: tenant.tenantUserId } }], text: 'Gate 4 is closed today.' },
  }),
  async assign_conversation(stage) {
    const { conversationId } = await asked(stage)
    const { tenantUserId } = await stage.call('create_api_key', { name: 'who takes over', roles: ['DataView'] })
    return { input: { conversationId, tenantUserId }, varying: ['assignedTo'] }
  },
  schedule_message: async ({ tenant }) => ({
    input: { to: { tenantUserId: tenant.tenantUserId }, text: 'Gate 4 opens.', localTime: '07:30' },
  }),
  async cancel_scheduled_message(stage) {
    const { tenantUserId } = stage.tenant
    const { scheduledMessageId } = await stage.call('schedule_message', { to: { tenantUserId }, text: 'Gate 4 opens.', localTime: '07:30' })
    return { input: { scheduledMessageId } }
  },
  async list_message_templates(stage) {
    await template(stage)
    return { input: { pageSize: 5 } }
  },
  save_message_template: async ({ unique }) => ({
    input: { internalName: unique('Arrival'), languageCode: 'en-US', text: 'The crew arrives at [[$param.time]].' },
  }),
  async delete_message_template(stage) {
    const { templateId } = await template(stage)
    return { input: { templateId } }
  },
  preview_message: async () => ({ input: { text: 'Is gate 4 open?', channels: ['sms', 'inbox'] } }),
  async resend_message(stage) {
    const { channelKey, internalName } = await stage.call('create_channel', {
      internalName: stage.unique('Trial'),
      channel: 'sms',
      provider: 'sandbox',
      settings: {},
    })
    const { messageId } = await stage.call('send_message', {
      to: { phone: '+34600123456' },
      channel: internalName,
      text: 'Is gate 4 open?',
    })
    const body = Buffer.from(JSON.stringify({ kind: 'status', messageId, status: 'failed' }))
    await stage.world.call('receive_channel_webhook', { channelKey }, { raw: { body, headers: {}, url: '/' } })
    return { input: { messageId } }
  },
  async list_inbox(stage) {
    await asked(stage)
    return { input: { pageSize: 10 }, varying: ['at'] }
  },
  async answer_inbox_message(stage) {
    const { messageId } = await asked(stage)
    return { input: { messageId, choice: 'open' } }
  },
  async mark_inbox_read(stage) {
    const { messageId } = await asked(stage)
    return { input: { messageId } }
  },
  async list_channels(stage) {
    await channelOf(stage)
    return { input: {}, varying: ['webhookUrl'] }
  },
  create_channel: async ({ unique }) => ({
    input: { internalName: unique('Sms'), channel: 'sms', provider: 'twilio', settings, secrets: { authToken: 'of-the-contract' } },
    varying: ['channelKey', 'webhookUrl'],
  }),
  async update_channel(stage) {
    const { channelId } = await channelOf(stage)
    return { input: { channelId, internalName: stage.unique('Sms'), secrets: { authToken: 'a-rotated-one' } }, varying: ['webhookUrl'] }
  },
  async delete_channel(stage) {
    const { channelId } = await channelOf(stage)
    return { input: { channelId } }
  },
  async test_channel(stage) {
    const { channelId } = await channelOf(stage)
    // Nobody delivers here: the message is queued, and the call does not wait for it.
    return { input: { channelId, to: '+34600123456', timeoutSeconds: 0 }, varying: ['at'] }
  },
  async register_channel_address({ call, unique }) {
    const { internalName } = await call('create_channel', {
      internalName: unique('Bot'),
      channel: 'telegram',
      provider: 'sandbox',
      settings: {},
    })
    return { input: { channel: internalName }, varying: ['code', 'expiresAt'] }
  },
  get_contact_preferences: async ({ tenant }) => ({ input: { tenantUserId: tenant.tenantUserId } }),
  set_contact_preferences: async ({ tenant }) => ({
    input: {
      tenantUserId: tenant.tenantUserId,
      channelOrder: ['sms', 'inbox'],
      quietHours: { start: '21:00', end: '07:00', timeZoneIana: 'Europe/Madrid' },
    },
  }),
}
