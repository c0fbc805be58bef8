/** Forms for whatever shows one or takes in what was entered; what a layout says is in layout.types.ts. */
export { doneOfRefusal, settledLink, stateOfRefusal } from './links/links.rules.ts'
export { makeLinkOfRun, takeBackLinksOfRun } from './links/of-run.ts'
export { soundForm } from './shown.ts'
