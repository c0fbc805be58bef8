/** The door of the floor for exports: whatever reads records may write them into a file. It has no operations of its own. */
export { exportOrQueue } from './begin.ts'
export { exportInJob, starterOf } from './in-job.ts'
export { type Exported, type FileContent, fileNameOf, isSensitiveExport, recordsAsContent } from './write-export.ts'
