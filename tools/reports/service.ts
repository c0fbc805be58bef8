/** The door of reports, for what writes them out or schedules them. */
export { prepareRun, readAllRows } from './running.ts'
export { soundDraft } from './shown.ts'
