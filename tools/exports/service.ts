/** The door of the floor for exports: whatever reads records may write them into a file. It has no operations of its own. */
export type { Archive, ArchivedFile } from './archive.ts'
export { exportOrQueue, queueExport } from './begin.ts'
export { exportInJob, starterOf, writeInJob } from './in-job.ts'
export { writeArchive } from './write-archive.ts'
export { type Exported, type FileContent, fileNameOf, isSensitiveExport, recordsAsContent } from './write-export.ts'
