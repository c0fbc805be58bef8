/** Which tables of the platform an export of a tenant has, column by column, and which it leaves out. */
import { catalogTables } from './catalog-tables.rules.ts'
import type { ExportedTable } from './tables.types.ts'
import { workTables } from './work-tables.rules.ts'

const words = (text: string) => text.trim().split(/\s+/)
const person = 'leads to the person behind the user'
const secret = 'a secret'
const ours = 'of the product alone'

/** Where archives of tenants lie among the assets of whoever asked for them: they are none of their own tenant's belongings. */
export const exportFolder = 'tenant-exports'

const people: readonly ExportedTable[] = [
  {
    table: 'tenant',
    about: 'The tenant itself: name, hosts, theme, limits',
    columns: words(
      'name sub_domain host description vertical_id language_region_id created_date active_start active_end is_deactivated logo_key favicon_key apple_icon_key android_icon_key theme limits disabled_languages delete_after',
    ),
    withheld: {
      sealed_key: secret,
      catalog_version: ours,
      other_definitions_version: ours,
      credential_version: ours,
      purged_by: ours,
      purged_until: ours,
    },
  },
  {
    table: 'tenant_user',
    about: 'Users: people, and the service users of keys and workflows',
    columns: words(
      'tenant_user_id user_name display_name language_region_id time_zone_iana role_flag is_locked is_service created_date accepted_date last_sign_in_date ended_date',
    ),
    withheld: { user_id: person, credential_version: ours },
  },
  {
    table: 'user_contact',
    about: 'E-mails and phone numbers of users',
    columns: words('contact_id tenant_user_id kind value is_verified added_at'),
  },
  {
    table: 'contact_preference',
    about: 'How users want to be reached',
    columns: words('tenant_user_id channel_order quiet_hours allows_urgent'),
  },
  {
    table: 'api_key',
    about: 'API keys, without what opens anything',
    columns: words(
      'api_key_id tenant_user_id name role_flag is_user_bound prefix allowed_addresses valid_hours made_by created_date expires_at revoked_at last_used_date',
    ),
    withheld: { key_hash: secret, previous_hash: secret, previous_until: ours, told_days: ours },
  },
  { table: 'sign_in_policy', about: 'What is asked of those who sign in', columns: words('second_factor factors apps') },
  {
    table: 'identity_provider',
    about: 'The provider by which people sign in, without what opens it',
    columns: words('issuer client_id scopes is_required trusts_second_factor role_flag set_by set_date'),
    withheld: { sealed_secret: secret },
  },
  {
    table: 'secret',
    about: 'Secrets that workflows send, by name and hosts',
    columns: words('secret_id internal_name hosts header prefix created_date modified_date last_used_date'),
    withheld: { sealed_value: secret },
  },
  { table: 'tenant_calls', about: 'Calls of each day', columns: words('day calls') },
  {
    table: 'email_template',
    about: 'Mails in the tenant’s words',
    columns: words('template_type language_region_id subject body modified_date'),
  },
  {
    table: 'audit_event',
    about: 'Who did what',
    columns: words('audit_event_id at tenant_user_id actor_name credential_id operation outcome code transport request_id ip facts'),
  },
  {
    table: 'asset',
    about: 'Files, the bytes of which lie under files/',
    columns: words(
      'asset_key original_file_name title mime_type file_extension size_bytes sha256 sub_path is_sensitive is_private property_id workflow_id step_id created_by created_date modified_date stored_at deleted_at purged_at',
    ),
    withheld: { source_id: ours, asset_folder_id: ours, storage_path: ours, upload_until: ours, announced_bytes: ours },
    only: `stored_at is not null and not (is_private and sub_path = '${exportFolder}')`,
  },
  { table: 'asset_receiver', about: 'Whom private files were sent to', columns: words('asset_key tenant_user_id') },
]

export const exportedTables: readonly ExportedTable[] = [...people, ...catalogTables, ...workTables]

/** Tables that have files of their own, and which. */
export const tablesElsewhere: Readonly<Record<string, string>> = { definition: 'definitions.jsonl, under today’s names' }

/** Tables that have rows of tenants and stay, and why. */
export const leftOutTables: Readonly<Record<string, string>> = {
  session: 'sign-ins of people',
  sign_in: 'sign-ins of people',
  provider_account: 'accounts that people sign in with',
  person_link: 'invitations and resets of people, which open an account',
  oauth_grant: 'applications that people let in',
  oauth_token: 'tokens',
  channel_link_code: 'codes that prove an address',
  idempotency_key: 'answers that are kept for a day, for calls that are repeated',
  outbox: 'errands under way inside the product',
  record_block: 'ranges of ids, of the product alone',
  record_use: 'what the product counts to choose indexes',
  record_index: 'indexes that the product made',
  publisher: 'a mark of who has published definitions; these say so themselves',
  import_preview: 'rows of imports that are tried out, for as long as that takes',
  identity_claim: 'made from the records of people, which are here',
  file_holder: 'made from the records that hold files, which are here',
  analysis_target: 'which values recognition wrote, of the product alone',
  definition_use: 'made from the definitions, which are here',
  event_watcher: 'made from the definitions, which are here',
  inbox_counter: 'numbers of messages, which stand at the messages',
  channel_receipt: 'what vendors have sent twice',
  trigger_cause: 'how triggers keep from firing twice',
  trigger_clock: 'how far triggers have looked',
  trigger_delivery: 'digests of webhooks that have come',
  trigger_firing: 'runs about to begin',
  workflow_once: 'digests of what loops have seen',
}
