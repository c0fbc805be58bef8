export { called as saveRecord } from './called.ts'
