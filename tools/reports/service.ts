/** The door of reports: for activities, for what happens by itself, and for what reads their rows. */
export { reportDelivery, reportDeliveryRunner } from './delivering.ts'
export { reportExportKind, reportExportRunner } from './exporting.ts'
export { shapeOfRows } from './computed.rules.ts'
export { readParams } from './params.rules.ts'
export { prepareRun, readAllRows, runFlatPage } from './running.ts'
export { reportDeliveryKind } from './schedule.rules.ts'
export { findReports, type NamedReport, type NamedReports, soundDraft } from './shown.ts'
