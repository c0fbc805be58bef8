/** Views for activities, and for definitions that stand on one. */
export { viewExportKind, viewExportRunner } from './exporting.ts'
export { findViewQuery } from './shown.ts'
