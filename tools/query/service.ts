/** The door of the reading floor: everything that reads records is parsed, compiled and run here. */
export { readChanges } from './changes.ts'
export { columnsOf, createParameters, isNumbered, sqlTypeOf } from './compile.rules.ts'
export { canonicalSql, documentSql, everythingOf } from './document.rules.ts'
export { columnsSeen, compiling, entityInPath, readFrame, type ReadFrame } from './frame.ts'
export { externalKeyOf, findKeyIssues, type Keys, keyTextOf } from './keys.rules.ts'
export { listingOf, listRecords, queryOf } from './pages.ts'
export { countRecords } from './read.store.ts'
export {
  anyRecordId,
  chosenProperties,
  documentOf,
  isLiveRecord,
  keysInBody,
  lastDocumentOf,
  noSuchRecord,
  readDocument,
  recordName,
  shownOf,
} from './records.ts'
export { timeOf } from './times.rules.ts'
export { unknownProperty, verdictOf } from './unknown-property.rules.ts'
export { changeKindOf, changesBetween, movesBetween } from './versions.rules.ts'
export { findDocumentAsOf, findVersion, listDocumentsAsOf, listVersions } from './versions.store.ts'
