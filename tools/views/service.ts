/** Views for activities, for what happens by itself, and for definitions that stand on one. */
export { viewExportKind, viewExportRunner } from './exporting.ts'
export { findViewQuery } from './shown.ts'
export { viewSyncKind } from './sync.rules.ts'
export { viewSync } from './syncing.ts'
