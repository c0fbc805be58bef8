export { called as callOperation } from './called.ts'
