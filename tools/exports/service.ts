/** The door of the floor for exports: whatever reads records may write them into a file. It has no operations of its own. */
export { exportInJob, starterOf } from './in-job.ts'
export { exportRecords, isSensitiveExport, rowsAtOnce } from './write-export.ts'
