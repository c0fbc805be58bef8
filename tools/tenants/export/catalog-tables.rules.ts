/** Definitions in an export of a tenant: properties, entities, forms, menus, schedules. */
import type { ExportedTable } from './tables.types.ts'

const words = (text: string) => text.trim().split(/\s+/)
const ours = 'of the product alone'

export const catalogTables: readonly ExportedTable[] = [
  { table: 'category', about: 'Categories of properties and entities', columns: words('category_id internal_name') },
  {
    table: 'property',
    about:
      'Properties; the types are numbered from 1: Number, DateTime, DateOnly, TimeOnly, Text, Choice, Attachment, Signature, Boolean, Currency, Hierarchy, Binary',
    columns: words(
      'property_id data_type_id internal_name max_decimal_places max_value_or_length min_value_or_length reg_ex is_sensitive is_identity_email is_identity_phone is_tenant_user_role allowed_file_types storage_shortcut_id category_id vertical_id global_source_id scope created_date modified_date',
    ),
  },
  {
    table: 'property_display',
    about: 'Names of properties by language',
    columns: words('property_id language_region_id name description reg_ex is_translation_locked'),
  },
  {
    table: 'property_option',
    about: 'Options of choices and hierarchies',
    columns: words('option_id property_id internal_name parent_option_id position retired_at'),
  },
  {
    table: 'property_option_display',
    about: 'Names of options by language',
    columns: words('option_id language_region_id name description'),
  },
  {
    table: 'property_option_filter',
    about: 'Named parts of the options of a property',
    columns: words('property_option_filter_id property_id internal_name option_ids'),
  },
  {
    table: 'entity',
    about: 'Entities',
    columns: words(
      'entity_id internal_name category_id vertical_id global_source_id scope is_tenant_user_role identity_email_property_id identity_phone_property_id created_date modified_date',
    ),
    withheld: { has_table: ours, has_history: ours, wipe_no: ours },
  },
  {
    table: 'entity_display',
    about: 'Names of entities by language',
    columns: words('entity_id language_region_id name description is_translation_locked'),
  },
  {
    table: 'entity_property',
    about: 'Properties of entities',
    columns: words(
      'entity_property_id entity_id property_id is_required is_list key_part position property_option_filter_id analysis numbering',
    ),
    withheld: { column_id: ours },
  },
  {
    table: 'entity_relation',
    about: 'Children and peers of entities',
    columns: words('entity_relation_id kind entity_id other_entity_id is_required is_list position'),
  },
  { table: 'detached_property', about: 'Names of properties that were detached', columns: words('entity_id column_id internal_name') },
  {
    table: 'form',
    about: 'Forms and which layout of theirs is the newest; what they say stands in definitions.jsonl',
    columns: words('form_id layout_version'),
  },
  {
    table: 'form_layout',
    about: 'Every layout that a form had, as JSON text with the names of its time',
    columns: words('form_id layout_version body created_date created_by'),
    withheld: { refs: ours, size_bytes: ours },
  },
  {
    table: 'signed_link',
    about: 'Signed links, without what opens them',
    columns: words(
      'link_id form_id run_id step_no ei_record_id to_user_id to_address made_by maker_kind maker_role_flag uploads message_id created_date expires_at revoked_date used_date submission_key result_record_id',
    ),
    withheld: { salt: 'a secret', maker_credential: ours },
  },
  { table: 'view_sync', about: 'When views were exported last', columns: words('view_id last_export_at') },
  {
    table: 'schedule',
    about: 'What happens by itself at times',
    columns: words(
      'schedule_id kind definition_id part owner_id role_flag every_minutes counted_from cron time_zone input next_due fired_at job_id stopped_reason file_keys',
    ),
    withheld: { next_look: ours },
  },
  {
    table: 'menu_item',
    about: 'The menu',
    columns: words(
      'menu_item_id parent_id tenant_user_id item_type target_id external_url internal_name icon_key display_order is_shared is_visible_in_menu is_api_visible channel_flag role_flag home_area_id created_date modified_date',
    ),
  },
  {
    table: 'menu_item_display',
    about: 'Names of menu items by language',
    columns: words('menu_item_id language_region_id name description'),
  },
  {
    table: 'event_subscription',
    about: 'Who is told of events, without the secrets that sign them',
    columns: words('subscription_id owner_id role_flag url is_enabled disabled_reason failing_since noticed_at'),
    withheld: { sealed_secrets: 'a secret', next_look: ours, leased_until: ours, lease_owner: ours },
  },
  { table: 'action_pack', about: 'Action packs of the tenant’s own', columns: words('pack_id internal_name created_date') },
  {
    table: 'action_pack_version',
    about: 'Their versions',
    columns: words('pack_id version manifest created_date created_by'),
    withheld: { sort_key: ours, size_bytes: ours },
  },
  {
    table: 'action_pack_install',
    about: 'Installed packs with their settings, but for the sensitive ones',
    columns: words('install_id pack_id pack version settings'),
  },
  {
    table: 'action_pack_secret',
    about: 'Which sensitive settings installed packs have',
    columns: words('install_id name'),
    withheld: { mark: ours, sealed_value: 'a secret' },
  },
  {
    table: 'workflow',
    about: 'Workflows and their newest versions; drafts stand in definitions.jsonl',
    columns: words('workflow_id version is_enabled service_user_id published_date deleted_date'),
  },
  {
    table: 'workflow_version',
    about: 'Every published version, as JSON text with the names of its time',
    columns: words('workflow_id version internal_name entity_id body role_flag changes created_date created_by'),
    withheld: { refs: ours, plan: ours, size_bytes: ours },
  },
  {
    table: 'workflow_trigger',
    about: 'Triggers of the published versions',
    columns: words('trigger_id workflow_id version trigger_type entity_id is_enabled is_live live_since acts_as role_flag body'),
  },
  {
    table: 'workflow_webhook',
    about: 'Webhooks that start workflows, without their addresses and secrets',
    columns: words('trigger_id workflow_id'),
    withheld: { trigger_key: 'a part of an address that starts runs', sealed_secret: 'a secret' },
  },
]
