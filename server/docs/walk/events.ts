import type { Step } from './step.ts'

export const steps: readonly Step[] = [
  { operation: 'list_event_kinds', input: { kind: 'record' } },
  { operation: 'list_events', input: { kinds: ['record.created'], pageSize: 5 } },
]
