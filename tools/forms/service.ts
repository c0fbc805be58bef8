/** Forms for whatever shows one or takes in what was entered; what a layout says is in layout.types.ts. */
export { stateOfRefusal } from './links/links.rules.ts'
export { soundForm } from './shown.ts'
