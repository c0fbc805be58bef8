import { plainWorkbook } from './plain-workbook.ts'
import { fileForm, type Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const layoutJson = {
  sections: [
    {
      type: 'detail',
      name: 'work',
      fields: [
        { property: 'Title{{run}}', required: true },
        { property: 'Priority{{run}}', control: 'radio' },
      ],
    },
  ],
}

const form = 'OrderForm{{run}}'

const values = { 'Title{{run}}': 'Grease the hinge' }
const shortcut = 'Untitled{{run}}'
const filterJson = [{ property: 'Title{{run}}', op: 'isNotEmpty' }]

const records: readonly Step[] = [
  { operation: 'validate_form_record', input: { form, values } },
  { operation: 'create_form_record', input: { form, key1: 'F-{{run}}', values }, keeps: { formRecordId: 'answer.eiRecordId' } },
  { operation: 'get_form_record', input: { form, record: '{{formRecordId}}' } },
  { operation: 'update_form_record', input: { form, record: '{{formRecordId}}', values: { 'Title{{run}}': 'Grease both hinges' } } },
  { operation: 'list_form_records', input: { form, pageSize: 10 } },
  { operation: 'validate_form_record_multi', input: { form, primary: { values } } },
  {
    operation: 'create_form_record_multi',
    input: { form, primary: { values }, sections: {} },
    keeps: { formMultiId: 'answer.eiRecordId' },
  },
  { operation: 'validate_form_record_multi_update', input: { form, record: '{{formMultiId}}', primary: { values } } },
  { operation: 'update_form_record_multi', input: { form, record: '{{formMultiId}}', primary: { values } } },
  { operation: 'create_form_shortcut', input: { form, internalName: shortcut, filterJson } },
  { operation: 'list_form_shortcuts', input: { form } },
  { operation: 'get_form_shortcut', input: { form, shortcut } },
  { operation: 'update_form_shortcut', input: { form, shortcut, isShared: true } },
  { operation: 'list_form_shortcut_records', input: { form, shortcut } },
  { operation: 'delete_form_shortcut', input: { form, shortcut } },
  { operation: 'delete_form_record', input: { form, record: '{{formRecordId}}' } },
  { operation: 'delete_form_record', title: 'the one with rows', input: { form, record: '{{formMultiId}}' } },
]

/** Its form is called as the file is, since no sheet says form_id. */
const survey = plainWorkbook('survey', [
  ['type', 'name', 'label'],
  ['text', 'wellVillage', 'Village'],
  ['integer', 'wellDepth', 'Depth'],
])

export const steps: readonly Step[] = [
  { operation: 'generate_form', input: { entity } },
  { operation: 'validate_form', input: { entity, layoutJson } },
  { operation: 'create_form', input: { entity, internalName: form, layoutJson, isShared: true } },
  { operation: 'list_forms', input: {} },
  { operation: 'list_entity_forms', input: { entity } },
  { operation: 'get_form', input: { form } },
  { operation: 'update_form', input: { form, layoutJson: { ...layoutJson, pages: 'section' }, expectedLayoutVersion: 1 } },
  { operation: 'get_form_schema', input: { form } },
  { operation: 'list_form_versions', input: { form } },
  { operation: 'restore_form_version', input: { form, version: 1 } },
  { operation: 'clone_form', input: { form, internalName: 'FormCopy{{run}}' } },
  { operation: 'delete_form', input: { form: 'FormCopy{{run}}' } },
  ...records,
  {
    operation: 'create_signed_link',
    input: { form, to: { email: 'guest{{run}}@example.com' }, expiresIn: 'P3D' },
    keeps: { linkToken: 'answer.token' },
  },
  { operation: 'open_signed_link', input: { token: '{{linkToken}}' } },
  { operation: 'submit_signed_link', input: { token: '{{linkToken}}', values: { 'Title{{run}}': 'From a guest' } } },
  { operation: 'list_signed_links', input: { form, states: ['used'] }, keeps: { guestRecord: 'answer[0].resultEIRecordId' } },
  { operation: 'delete_instance', title: 'what the guest made', input: { entity, record: '{{guestRecord}}' } },
  {
    operation: 'create_signed_link',
    title: 'one that goes to the wrong person',
    input: { form, to: { email: 'wrong{{run}}@example.com' } },
    keeps: { linkId: 'answer.linkId' },
  },
  { operation: 'revoke_signed_link', input: { linkId: '{{linkId}}' } },
  { operation: 'upload_asset', title: 'a survey', ...fileForm('wells{{run}}.xlsx', survey), keeps: { surveyAssetKey: 'answer.assetKey' } },
  {
    operation: 'import_xlsform',
    input: { assetKey: '{{surveyAssetKey}}' },
    keeps: { surveyForm: 'answer.form.internalName', surveyVillage: 'answer.properties[0]', surveyDepth: 'answer.properties[1]' },
  },
]
