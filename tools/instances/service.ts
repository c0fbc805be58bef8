/** Records for activities and other domains. */
export { instanceExportKind, instanceExportRunner } from './export/exporting.ts'
export { importKind, importRunner } from './import/runner.ts'
export { applyAnalysis, holdRecord, keepOutOfRecord } from './save/write-back.ts'
