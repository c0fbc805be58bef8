import { type Assignment, findAssignment } from '#tools/workflows/service.ts'

import type { StepContext } from './step.types.ts'

/** Whom a resolved assignee of a step means. */
export function assignmentOf({ services, who, open, scope }: StepContext, said: unknown): Promise<Assignment> {
  return findAssignment({ services, who, entity: open.version.entity, eiRecordId: open.run.eiRecordId, scope }, said)
}
