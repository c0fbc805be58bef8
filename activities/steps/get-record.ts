export { called as getRecord } from './called.ts'
