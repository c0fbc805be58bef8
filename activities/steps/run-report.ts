export { called as runReport } from './called.ts'
