/** The door of reports: for activities, for what happens by itself, and for what reads their rows. */
export { reportDelivery, reportDeliveryRunner } from './delivering.ts'
export { reportExportKind, reportExportRunner } from './exporting.ts'
export { prepareRun, readAllRows } from './running.ts'
export { reportDeliveryKind } from './schedule.rules.ts'
export { soundDraft } from './shown.ts'
