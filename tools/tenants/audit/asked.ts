/** What a list or a file of audit events is asked for. */
import { AppError } from '#platform/errors.ts'
import type { Services } from '#platform/services.ts'

import { findOperationIssues } from './audit.rules.ts'
import type { AuditFilter } from './audit.schema.ts'

/** Throws AppError `invalid_input`. */
export function checkFilter({ pipeline }: Services, filter: AuditFilter): void {
  const issues = findOperationIssues(filter.operation, pipeline.registry.byName)
  if (issues[0]) throw new AppError('invalid_input', issues[0].message, { issues })
}
