/** What happened, told to all who act on it. */
export { comparesBefore, recordsChanged } from './records-changed.ts'
