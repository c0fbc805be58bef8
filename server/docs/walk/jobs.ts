import { fileForm, type Step } from './step.ts'

const jobId = '{{jobId}}'

export const steps: readonly Step[] = [
  { operation: 'list_jobs', input: { pageSize: 5 } },
  { operation: 'get_job', input: { jobId } },
  { operation: 'get_job_log', input: { jobId } },
  {
    operation: 'upload_asset',
    title: 'enough rows to be stopped among them',
    before: ["pm.variables.set('rows', Array.from({ length: 2000 }, (_, at) => `T-${at}`).join('\\n'))"],
    ...fileForm('tasks.csv', 'key1\n{{rows}}\n'),
    keeps: { tasksAssetKey: 'answer.assetKey' },
  },
  {
    operation: 'import_instances',
    title: 'to stop it',
    input: { entity: 'Task{{run}}', assetKey: '{{tasksAssetKey}}' },
    keeps: { stoppedJobId: 'answer.jobId' },
  },
  { operation: 'cancel_job', input: { jobId: '{{stoppedJobId}}' } },
  { operation: 'retry_job', input: { jobId: '{{stoppedJobId}}' } },
  { operation: 'await_job', input: { jobId: '{{stoppedJobId}}', timeoutSeconds: 50 } },
]
