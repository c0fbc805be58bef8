/** The filter of a watcher: a group that names the entity whose records it is asked of. */

/** As a list of that entity takes it. */
export function groupOf(filter: unknown): Readonly<Record<string, unknown>> {
  if (typeof filter !== 'object' || filter === null) return {}
  const { entity: _entity, ...group } = filter as Record<string, unknown>
  return group
}
