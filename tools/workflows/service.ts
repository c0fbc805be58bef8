/** The domain's door for the activities that carry runs, for what is installed, and for the vocabulary. */
export type { Draft } from './definition/drafts.ts'
export { inOrder, withTypesNamed } from './definition/importing.ts'
export { addInstall, changeInstall, type ComposedBody, findComposedProblems, type Installed } from './definition/installing.ts'
export { listInstalls, openInstall, removeInstall, showInstallTriggers, toggleInstall } from './definition/installing.ts'
export { rolesOfBody } from './definition/rights.rules.ts'
export {
  branchOf,
  type Done,
  type FindVersion,
  fixInput,
  foresee,
  leadOn,
  refuseLargeInput,
  type OpenStep,
  openStep,
} from './runs/carrying.ts'
export { recordDone, recordFailed, recordOutcome, recordSkipped, recordTry, recordWaiting, scopeOf } from './runs/carrying.ts'
export { iterationsOf, keepItems, markOverdue, nextUndone, recordRunEnd, recordUndone } from './runs/ending.ts'
export { recordEnding, recordWithdrawn, takeKeptSignal, usersOfAssignment } from './runs/ending.ts'
export type { Answer, Asked, AskedPerson, Assignment, FlowVersion, RunError, Said } from './runs/runs.types.ts'
export { actingFor, type Scope } from './runs/scope.ts'
export { findAssignment } from './runs/assigning.ts'
export { awaitRun, entityOfPublished } from './runs/awaited-runs.ts'
export { callOf } from './runs/calls.ts'
export { readItems } from './runs/items.ts'
export { resultsOfLanes } from './runs/lanes.rules.ts'
export { changeQuestion, findQuestion, judgeReply, keepQuestion, settleQuestion, takeReplies } from './runs/asking.ts'
export { judgeTask, tellTask } from './runs/telling.ts'
export { taskFloor } from './runs/link-tasks.ts'
export { after, endOfWait } from './runs/waits.rules.ts'
export { actionsOf, idIn, isObject, isResolved, listIn, ownConfig, stepsIn, textIn, triesOf, waitAfter } from './runs/steps.rules.ts'
export type { Waiting } from './runs/steps.store.ts'
export { actOn, assignTask, cancelRun, findTask, mustLockRun, pauseRun, resumeRun, retryRun, signalRun } from './runs/acting.ts'
export { type Started, startRun, startsTopic } from './runs/starting.ts'
export { lookForDates } from './triggers/dates.ts'
export { dropOldCauses, fireDue } from './triggers/firing.ts'
export { triggerWatcher } from './triggers/matched.ts'
export { triggerSchedule, triggerScheduleKind } from './triggers/times.ts'
export { releaseHeld } from './triggers/releasing.ts'
export { awaitedName, triggerWatcherKind, waitWatcherKind } from './triggers/triggers.types.ts'
export { stepTypeVocabulary, triggerTypeVocabulary } from './vocabulary.ts'
export { findStepType } from './step-types/registry.rules.ts'
export { findCarriedVersion, type FindFlowVersion, findFlowVersion } from './runs/versions.ts'
export { countActionRuns, listActionRuns, summarizeActionRuns } from './runs/actions.store.ts'
export { cancelRunsOf } from './runs/acting.ts'
export { readInput, recordOf } from './runs/begun-with.ts'
export { onlyOnce } from './runs/once.ts'
export { toLine } from './runs/log-lines.ts'
export { findRun, listLog, lockRun } from './runs/runs.store.ts'
export type { RunRow } from './runs/runs.types.ts'
export { masked, type Masks, masksOf } from './runs/masks.rules.ts'
export { isTold, mustSeeRun, onlySeenRuns, sensitiveNames } from './runs/sight.ts'
export { sealedMark } from './runs/steps.rules.ts'
export { receiveWebhook } from './triggers/receiving.ts'
export { tryOut } from './trial/trial.ts'
