/** The door of the reading floor: everything that reads records is parsed, compiled and run here. */
export { readChanges } from './changes.ts'
export { columnsOf, createParameters, isNumbered, sqlTypeOf } from './columns.rules.ts'
export { canonicalSql, documentSql, everythingOf, showing, type ShownColumn } from './document.rules.ts'
export { columnsSeen } from './columns-seen.ts'
export { entityInPath, readFrame, readFrameOf, type ReadFrame } from './frame.ts'
export { externalKeyOf, findKeyIssues, type Keys, keyTextOf } from './keys.rules.ts'
export { keepIndexes } from './indexing.ts'
export { countRecords, type Listed, listInTurn, listRecords, type ListRequest } from './pages.ts'
export {
  findBoundProperties,
  findWithheldFiles,
  isFileBound,
  isFileProperty,
  isPlaceSeen,
  noteHolders,
  type Place,
  seenPlaces,
} from './files.ts'
export { findDocument } from './read.store.ts'
export {
  anyRecordId,
  chosenProperties,
  documentOf,
  isLiveRecord,
  keysInBody,
  lastDocumentOf,
  liveRecordId,
  noSuchRecord,
  readDocument,
  recordName,
  shownOf,
} from './records.ts'
export { aggregateRecords } from './report/aggregates.ts'
export { explainReady } from './report/explain.ts'
export { type PlannedRead, type PlannedReport } from './report/plan.rules.ts'
export { type Output, type Report } from './report/report.types.ts'
export {
  flatPageOfReport,
  pageOfReport,
  partlySeen,
  prepareReport,
  type ReadyReport,
  readReportRows,
  sensitiveOf,
} from './report/reports.ts'
export { type FlatRecord, flatRecord, readRelated } from './related.ts'
export { countRowsOf, readRows, type RowsRequest, selectIds, selectValues, typeOfColumn } from './rows.ts'
export { accessFloor } from './access-floor.ts'
export { searchEntities } from './search.ts'
export { readInHand, type ReadInHand } from './in-hand.ts'
export { clockOf as callersClock } from './reach.ts'
export { sightOf, withCallersValues } from './sight.ts'
export { hasAccessRules, holdingsOf, seenAmong, seenByKey, seenOf, seesEverything } from './holdings.ts'
export { type Comparing, isFulfilled, type RecordInHand, valueHolds } from './holds.rules.ts'
export { holdingSql } from './holdings.store.ts'
export { blind, type Holding, holdingRules, isKeyShown, rulesFor, sealedHash, shows, type Sight, type SightRule } from './sight.rules.ts'
export { openSource } from './source.rules.ts'
export { findFilterProblems, findForeign, findSortProblems, readColumn, readStoredReport, readCondition } from './stored.rules.ts'
export { timeOf } from './times.rules.ts'
export {
  findFulfilling,
  findFulfillingEach,
  readFlatVersions,
  readVersions,
  type ToldVersion,
  versionKey,
  type VersionName,
} from './told.ts'
export { shapeOfRecord, shapeOfUser, shapesOfCaller } from './token-shapes.rules.ts'
export { unknownProperty } from './unknown-name.rules.ts'
export { flushUses } from './uses.ts'
export { changeKindOf, changesBetween, movesBetween } from './versions.rules.ts'
export { findVersion, listVersions } from './versions.store.ts'
export { readWhole, readWholeLinks, type WholePage } from './whole.ts'
export { type VersionPlace } from './whole.store.ts'
