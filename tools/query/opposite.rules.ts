/** Comparisons that hold for empty values, and what they are the opposite of. */
import type { Comparison, QueryNode, RuleNode } from './tree.types.ts'

const negated: Readonly<Partial<Record<RuleNode['op'], RuleNode['op']>>> = {
  ne: 'eq',
  notIn: 'in',
  notContains: 'contains',
  notBetween: 'between',
  isEmpty: 'isNotEmpty',
}

/** The opposite of a comparison that holds for empty values; undefined of another. */
export function oppositeOf(comparison: Comparison): QueryNode | undefined {
  if (comparison.kind === 'group') {
    const opposites = comparison.nodes.flatMap((node) => (node.kind === 'rule' ? (oppositeOf(node) ?? []) : []))
    return opposites.length === comparison.nodes.length ? { kind: 'group', logic: 'OR', nodes: opposites } : undefined
  }
  const op = negated[comparison.op]
  return op && { ...comparison, op }
}
