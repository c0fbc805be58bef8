export { called as deleteRecord } from './called.ts'
