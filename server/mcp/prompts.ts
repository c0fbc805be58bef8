/** Prompts for the jobs of a day: which tools to call, in which order, and what to look at between the calls. */
import { errorCatalogue } from '#platform/errors.ts'

interface PromptArgument {
  readonly name: string
  readonly description: string
  readonly required: boolean
  /** Values offered while a person types. */
  readonly choices?: readonly string[]
}

interface PromptStep {
  /** Every tool that the text names. */
  readonly tools: readonly string[]
  readonly text: string
  /** Left out where the caller lacks one of its tools; without a step that is not optional the prompt itself is left out. */
  readonly isOptional?: boolean
}

export interface PromptDefinition {
  readonly name: string
  readonly title: string
  readonly description: string
  readonly arguments: readonly PromptArgument[]
  /** The first sentences: what is to be done, with the arguments in it. */
  opening(values: Readonly<Record<string, string>>): string
  readonly steps: readonly PromptStep[]
}

/** Not every agent can send bytes to an address: some have tools and nothing else. */
const uploadWays =
  'Where you can send HTTP requests: create_upload_url with the file name, then PUT the bytes to its url, once, without a credential. Where you have tools alone: upload_asset with contentBase64, up to 3 MB. Where you cannot read the file: give the url of create_upload_url to the person who has it.'

const connectAndExplore: PromptDefinition = {
  name: 'connect_and_explore',
  title: 'Connect and look around',
  description: 'Learn who the key is, what the tenant holds and where the documentation answers questions.',
  arguments: [{ name: 'goal', description: 'What you want to do afterwards', required: false }],
  opening: ({ goal }) => `Get to know this tenant before you change anything.${goal ? ` What comes afterwards: ${goal}.` : ''}`,
  steps: [
    { tools: ['whoami'], text: 'Call whoami. It names the tenant, the user that you act as and the roles in roleFlag.' },
    { tools: ['docs_index'], text: 'Call docs_index for the pages of the documentation.' },
    {
      tools: ['docs_search', 'docs_read'],
      text: 'Ask docs_search in plain words what you do not know, and open the page with docs_read.',
      isOptional: true,
    },
    {
      tools: ['get_schema'],
      text: 'Call get_schema for the data types and the kinds of everything that can be authored.',
      isOptional: true,
    },
    { tools: ['list_entities'], text: 'Call list_entities for the kinds of record that exist.' },
    {
      tools: ['describe_entity'],
      text: 'Call describe_entity on the two or three that matter, for their properties and keys.',
      isOptional: true,
    },
    {
      tools: ['count_instances', 'list_instances'],
      text: 'Call count_instances and a small page of list_instances on each, to see real records.',
      isOptional: true,
    },
    { tools: [], text: 'Tell in a few sentences what the tenant is for, what you may do in it, and what you would do next.' },
  ],
}

const authorAnEntity: PromptDefinition = {
  name: 'author_an_entity',
  title: 'Author an entity',
  description: 'Turn a description of things into properties and an entity, checked before anything is written.',
  arguments: [
    { name: 'subject', description: 'What the records are, such as "pumps with serial number, site and last inspection"', required: true },
    { name: 'internalName', description: 'Name of the entity, letters, digits and underscores', required: false },
  ],
  opening: ({ subject, internalName }) => `Author an entity for: ${subject}.${internalName ? ` Name it ${internalName}.` : ''}`,
  steps: [
    {
      tools: ['get_dictionary'],
      text: 'Call get_dictionary. Reuse a property that already means the same; do not author a second entity for the same things.',
    },
    { tools: ['get_schema'], text: 'Call get_schema for the data types and what each takes.' },
    {
      tools: [],
      text: 'Write the catalog document: properties with their limits and options, the entity with its properties, which are required, which are lists, and which part of the key (keyPart 1 to 3) tells two records apart.',
    },
    {
      tools: ['validate_catalog'],
      text: 'Call validate_catalog with it. Correct every issue by its path and suggestion until valid is true.',
    },
    { tools: ['import_catalog'], text: 'Call import_catalog with the same document. It writes all of it or nothing.' },
    { tools: ['describe_entity'], text: 'Call describe_entity and compare it with what was asked.' },
    {
      tools: ['save_instance', 'delete_instance'],
      text: 'Save one record with save_instance to prove it, show it, and remove it with delete_instance.',
      isOptional: true,
    },
  ],
}

const importACsv: PromptDefinition = {
  name: 'import_a_csv',
  title: 'Import a CSV file',
  description: 'Bring the rows of a file in as records of an entity, and prove that they arrived.',
  arguments: [
    { name: 'file', description: 'Path or name of the file', required: true },
    { name: 'entity', description: 'Internal name of the entity that the rows belong to', required: true },
  ],
  opening: ({ file, entity }) => `Import the rows of ${file} as records of ${entity}.`,
  steps: [
    { tools: ['describe_entity'], text: 'Call describe_entity for its properties and its key.' },
    { tools: [], text: 'Read the first lines of the file and decide which column feeds which property.' },
    {
      tools: ['upload_asset', 'create_upload_url'],
      text: `Bring the file in, for its assetKey. ${uploadWays}`,
    },
    {
      tools: ['import_instances'],
      text: 'Call import_instances with the entity, the assetKey and dryRun: true, and with a mapping from property to column where the names differ. It answers a jobId.',
    },
    {
      tools: ['await_job'],
      text: 'Call await_job with the jobId until its state is succeeded, partly (done, with errors in some rows), failed or cancelled. result counts the rows, and result.errors says row, line and what is wrong.',
    },
    {
      tools: ['import_instances', 'await_job'],
      text: 'Mend the mapping or the file until the counts are what you expect. Then call import_instances again without dryRun, and await_job as before: partly has saved the rows without errors, and the same file may be sent again.',
    },
    {
      tools: ['count_instances', 'list_instances'],
      text: 'Compare count_instances with the number of rows, and look at a page of list_instances.',
    },
    { tools: [], text: 'Report what was inserted, updated, skipped and rejected, with the reason of the first rejected rows.' },
  ],
}

const attachAPhoto: PromptDefinition = {
  name: 'attach_a_photo',
  title: 'Attach a photograph to a record',
  description: 'Upload a photograph, put it into an Attachment property, and read what recognition made of it.',
  arguments: [
    { name: 'file', description: 'Path or name of the photograph', required: true },
    { name: 'entity', description: 'Internal name of the entity', required: true },
    { name: 'record', description: 'Id or key of the record', required: true },
    { name: 'property', description: 'The Attachment property; the only one unless told', required: false },
  ],
  opening: ({ file, entity, record, property }) =>
    `Attach ${file} to the record ${record} of ${entity}${property ? `, in its property ${property}` : ''}, and tell what is on it.`,
  steps: [
    { tools: ['describe_entity'], text: 'Call describe_entity to find the Attachment property and its entityPropertyId.' },
    {
      tools: ['set_attachment_analysis'],
      text: 'Unless it is set already, call set_attachment_analysis to say what runs when the property is saved and which properties take the results.',
      isOptional: true,
    },
    { tools: ['upload_asset', 'create_upload_url'], text: `Bring the photograph in, for its assetKey. ${uploadWays}` },
    {
      tools: ['upsert_instance'],
      text: 'Call upsert_instance on the record with the assetKey as the value of the property. The save commits at once; recognition follows.',
    },
    { tools: ['await_job'], text: 'Call await_job with each of the jobIds that the save answered.', isOptional: true },
    {
      tools: ['get_attachment_analysis'],
      text: 'Call get_attachment_analysis with the assetKey until its state is done, failed or skipped.',
    },
    { tools: ['get_instance'], text: 'Call get_instance to see the results in the properties of the record.' },
  ],
}

const askAFieldWorker: PromptDefinition = {
  name: 'ask_a_field_worker',
  title: 'Ask a field worker',
  description: 'Send a question to a person in the field, wait for the answer and close the conversation.',
  arguments: [
    { name: 'recipient', description: 'Tenant user id, phone number or e-mail address', required: true },
    { name: 'question', description: 'What you want to know', required: true },
    { name: 'record', description: 'Id of the record that it is about', required: false },
    {
      name: 'channel',
      description: 'How to reach the person; their preference unless told',
      required: false,
      choices: ['inbox', 'sms', 'whatsapp', 'email'],
    },
  ],
  opening: ({ recipient, question, record, channel }) =>
    `Ask ${recipient}${channel ? ` by ${channel}` : ''}: ${question}${record ? ` It is about the record ${record}.` : ''}`,
  steps: [
    { tools: ['list_users'], text: 'If the recipient is a name, call list_users for the tenantUserId.', isOptional: true },
    {
      tools: ['list_channels'],
      text: 'Call list_channels to see which channels are configured and what each can carry.',
      isOptional: true,
    },
    {
      tools: ['send_message'],
      text: 'Call send_message with the recipient, the text and, where there is a record, its eiRecordId. Offer choices in a card where the answer is one of a few. Set _meta.idempotencyKey, so that a repeated call asks once.',
    },
    {
      tools: ['await_reply'],
      text: 'Call await_reply with the conversationId. It waits up to 55 seconds; when timedOut is true call it again with the cursor as afterSeq.',
    },
    {
      tools: ['poll_replies'],
      text: 'When the person takes long, do other work and look with poll_replies from time to time.',
      isOptional: true,
    },
    { tools: ['end_conversation'], text: 'Call end_conversation with a closing text once the question is answered.' },
    { tools: [], text: 'Report the answer in the words of the person, with its time.' },
  ],
}

const investigateAnError: PromptDefinition = {
  name: 'investigate_an_error',
  title: 'Investigate an error',
  description: 'Find out why a call or a job failed and what makes it succeed.',
  arguments: [
    { name: 'code', description: 'The code of the problem body', required: false, choices: Object.keys(errorCatalogue) },
    { name: 'requestId', description: 'The requestId of the problem body', required: false },
    { name: 'jobId', description: 'The job that failed', required: false },
    { name: 'call', description: 'What was called, and with what', required: false },
  ],
  opening: ({ code, requestId, jobId, call }) => {
    const facts = [
      call && `the call was ${call}`,
      code && `its code is ${code}`,
      requestId && `its requestId is ${requestId}`,
      jobId && `the job is ${jobId}`,
    ]
    const known = facts.filter(Boolean).join(', ')
    return `Find out why something failed${known ? `: ${known}` : ''}. Say what was wrong and what to do, and change nothing on the way.`
  },
  steps: [
    {
      tools: [],
      text: 'Read the problem body: detail says what was wrong, issues[] names each place by its path and suggests the nearest right name.',
    },
    { tools: ['docs_search', 'docs_read'], text: 'Ask docs_search about the code and the operation, and read the page with docs_read.' },
    {
      tools: ['whoami'],
      text: 'For forbidden, call whoami and compare its roles with those that the tool needs. For not_found, remember that the records of another tenant do not exist for you.',
    },
    {
      tools: ['list_jobs', 'get_job'],
      text: 'For a job, call get_job, or list_jobs to find it: its error says which step failed.',
      isOptional: true,
    },
    { tools: ['get_job_log'], text: 'Read its lines with get_job_log.', isOptional: true },
    {
      tools: ['list_audit_events'],
      text: 'Call list_audit_events around the time of the call to see what happened beside it.',
      isOptional: true,
    },
    {
      tools: [],
      text: 'For conflict and rate_limited, say whether the same call may succeed later; for invalid_input, write the corrected call.',
    },
  ],
}

/** The product's prompts. */
export const productPrompts: readonly PromptDefinition[] = [
  connectAndExplore,
  authorAnEntity,
  importACsv,
  attachAPhoto,
  askAFieldWorker,
  investigateAnError,
]

/** The prompts all of whose necessary tools are among `tools`. */
export function promptsFor(prompts: readonly PromptDefinition[], tools: ReadonlySet<string>): PromptDefinition[] {
  return prompts.filter((prompt) => prompt.steps.every((step) => step.isOptional || step.tools.every((tool) => tools.has(tool))))
}

/** The message of a prompt, its steps numbered, without the steps whose tools the caller lacks. */
export function promptText(
  prompt: PromptDefinition,
  values: Readonly<Record<string, string>>,
  tools: ReadonlySet<string>,
  isCatalog: boolean,
): string {
  const steps = prompt.steps.filter((step) => step.tools.every((tool) => tools.has(tool)))
  const lines = steps.map((step, index) => `${index + 1}. ${step.text}`)
  const through = 'Here the tools are called through call_read_tool and call_write_tool; describe_tool tells the arguments of each.'
  return [prompt.opening(values), '', ...(isCatalog ? [through, ''] : []), ...lines].join('\n')
}
