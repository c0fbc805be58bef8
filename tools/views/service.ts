/** Views for activities. */
export { viewExportKind, viewExportRunner } from './exporting.ts'
