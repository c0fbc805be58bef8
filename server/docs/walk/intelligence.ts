import type { Step } from './step.ts'

const entity = 'WorkOrder{{run}}'
const assetKey = '{{pdfAssetKey}}'

export const steps: readonly Step[] = [
  { operation: 'list_models' },
  { operation: 'recognize_text', input: { assetKey, languages: ['eng'] } },
  { operation: 'classify_image', input: { assetKey: '{{pictureAssetKey}}', minScore: 0.01 } },
  {
    operation: 'set_attachment_analysis',
    input: { entity, entityPropertyId: '{{photoEntityPropertyId}}', ocr: true, targets: { text: 'SignText{{run}}' } },
  },
  {
    operation: 'save_instance',
    title: 'with a file to read',
    input: { entity, key1: 'WO-8', data: { 'Photo{{run}}': assetKey } },
    keeps: { analysisJobId: 'answer.jobIds[0]' },
  },
  { operation: 'await_job', title: 'the reading', input: { jobId: '{{analysisJobId}}', timeoutSeconds: 50 } },
  { operation: 'get_attachment_analysis', input: { assetKey } },
  { operation: 'rerun_attachment_analysis', input: { assetKey }, keeps: { rerunJobId: 'answer.jobId' } },
  { operation: 'await_job', title: 'the second reading', input: { jobId: '{{rerunJobId}}', timeoutSeconds: 50 } },
]
