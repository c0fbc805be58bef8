/** Several changes of one record in one transaction as the one that they come to. */
import type { ChangeKind, RecordChange } from './events.types.ts'

/** Undefined where the record ends as it began: not there. */
export function netChange(earlier: RecordChange | undefined, later: RecordChange): RecordChange | undefined {
  if (!earlier) return later
  const kind = netKind(earlier.kind, later.kind)
  return kind && { ...later, kind, before: earlier.before }
}

function netKind(earlier: ChangeKind, later: ChangeKind): ChangeKind | undefined {
  const wasThere = earlier === 'modified' || earlier === 'deleted'
  if (later === 'deleted') return wasThere ? 'deleted' : undefined
  return wasThere ? 'modified' : earlier
}
