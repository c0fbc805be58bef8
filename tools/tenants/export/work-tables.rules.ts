/** What has happened in an export of a tenant: jobs, events, messages, runs. */
import type { ExportedTable } from './tables.types.ts'

const words = (text: string) => text.trim().split(/\s+/)
const secret = 'a secret'
const ours = 'of the product alone'

export const workTables: readonly ExportedTable[] = [
  {
    table: 'job',
    about: 'Long-running jobs',
    columns: words(
      'job_id kind operation visible_to started_by state done total note input result error attempt depth entity_id ei_record_id entity_property_id created_date started_date finished_date',
    ),
    withheld: { position: ours, chunk_no: ours, log_lines: ours, unended_runs: ours, run_id: ours },
  },
  { table: 'job_log', about: 'Lines of their logs', columns: words('job_id line_no at attempt level message') },
  {
    table: 'attachment_analysis',
    about: 'What was recognised in files',
    columns: words(
      'analysis_id asset_key entity_id ei_record_id entity_property_id job_id state reason settings ocr labels model duration_ms written queued_at started_at finished_at',
    ),
    withheld: { run_no: ours, record_version: ours, target_versions: ours, found: ours, text_part: ours, labels_part: ours },
  },
  {
    table: 'event',
    about: 'What happened, by ids',
    columns: words('event_id kind at by_user entity_id record_ids versions data origin_kind origin_id depth'),
    withheld: { is_waiting: ours, batch: ours, starts_nothing: ours },
  },
  {
    table: 'event_delivery',
    about: 'Deliveries to subscriptions',
    columns: words(
      'delivery_id subscription_id kind event_at event_id record_id version state attempts tries reason created_date delivered_date',
    ),
    withheld: { next_at: ours },
  },
  {
    table: 'channel',
    about: 'Channels of messages, without their secrets',
    columns: words('channel_id internal_name channel provider settings secret_names created_date modified_date'),
    withheld: { sealed_secrets: secret, channel_key: 'a part of an address that takes messages', next_turn: ours },
  },
  {
    table: 'channel_address',
    about: 'Addresses that people have linked',
    columns: words('channel_address_id channel_id tenant_user_id address device registered_date'),
    withheld: { sealed_details: secret },
  },
  { table: 'handset_plan', about: 'What sandbox channels are to do', columns: words('channel_id address does reason seconds') },
  {
    table: 'conversation',
    about: 'Conversations',
    columns: words(
      'conversation_id state channel channel_id tenant_user_id address ei_record_id subject started_by assigned_to created_date last_message_date ended_date',
    ),
    withheld: { last_seq: ours, last_inbound_seq: ours, last_outbound_seq: ours, awaited_by: ours },
  },
  {
    table: 'conversation_way',
    about: 'Over which channels a conversation went',
    columns: words('conversation_id channel channel_id address'),
    key: ['conversation_id', 'coalesce(channel_id, 0)', "coalesce(address, '')"],
  },
  {
    table: 'message',
    about: 'Messages; links in them are without their tokens',
    columns: words(
      'message_id conversation_id seq direction channel channel_id from_address to_address from_user_id to_user_id inbox_seq text card choice keyword asset_keys status reason vendor_code provider_id is_urgent authentication at sent_date delivered_date read_date answered_date resent_as not_before mail_type mail_title',
    ),
    withheld: { status_rank: ours },
  },
  {
    table: 'message_media',
    about: 'Files that came with messages',
    columns: words('message_id position mime_type asset_key failed_at'),
    withheld: { url: 'an address of the vendor’s that may open the file' },
  },
  {
    table: 'message_consent',
    about: 'Files that people agreed to take',
    columns: words('message_id asset_key uploaded_date done_date'),
    withheld: { details: 'an address of the vendor’s that may open the file' },
  },
  { table: 'message_attempt', about: 'Tries to send', columns: words('message_id attempt_no claimed_at outcome detail') },
  {
    table: 'message_fallback',
    about: 'Over which channels a message goes on',
    columns: words('message_id conversation_id channels after_seconds content owner_id role_flag next_message_id'),
    withheld: { next_look: ours },
  },
  {
    table: 'scheduled_message',
    about: 'Messages for later',
    columns: words(
      'scheduled_message_id conversation_id state recipient channel content send_at time_zone owner_id role_flag message_id reason created_date ended_date',
    ),
    withheld: { next_look: ours },
  },
  { table: 'opt_out', about: 'Who wants no messages', columns: words('opt_out_id channel address is_out source at') },
  {
    table: 'workflow_run',
    about: 'Runs of workflows and packs',
    columns: words(
      'run_id workflow_id version internal_name state is_paused is_cancelling entity_id ei_record_id acts_as role_flag depth started_by caused_by trigger_type input trigger variables output error epoch held_for released_at pack pack_version had_failures expires_at created_date started_date finished_date',
    ),
    withheld: { start_key: ours, flow: ours, log_seq: ours, value_bytes: ours },
  },
  {
    table: 'workflow_step_run',
    about: 'Their steps',
    columns: words(
      'run_id step_no step step_type iteration state is_waiting failures input result error is_unsure outcome assignee_user assignee_role assignee_users due_at overdue_at wake_at answer asked begun_at ended_at',
    ),
    withheld: { effect_no: ours, items: ours, awaits: ours, awaits_trigger: ours, awaits_record: ours },
  },
  {
    table: 'workflow_log',
    about: 'Their logs',
    columns: words('run_id seq at step_no step step_type iteration event by_user attempt input output error comment duration_ms'),
  },
  { table: 'workflow_signal', about: 'What was signalled to them', columns: words('run_id signal_id event payload by_user at') },
]
