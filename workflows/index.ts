/** Every workflow, as the worker bundles them. The exported names are the types that are started. */
export { attachmentRecognition } from './attachment-recognition.ts'
export { conversation } from './conversation.ts'
export { flowRun } from './flow-run.ts'
export { job } from './job.ts'
export { recognizeAsset } from './recognize-asset.ts'
