import { z } from 'zod'

import { drawDiagram } from '#platform/diagrams/drawing.ts'
import { mustExist } from '#platform/errors.ts'
import { defineStagedOperation, reads, type TxContext } from '#platform/operation.ts'

import { listMarks } from '../runs/marks.store.ts'
import { workflowInstanceId } from '../runs/runs.schema.ts'
import { mustSeeRun } from '../runs/sight.ts'
import { findCarriedVersion } from '../runs/versions.ts'
import { workflowSlot } from '../workflows.schema.ts'
import { mermaidOf } from './diagram.rules.ts'
import { openDraft } from './drafts.ts'

async function drawn(context: TxContext, workflow: z.output<typeof workflowSlot>, runId: number | undefined): Promise<string> {
  const { body, state } = await openDraft(context, workflow)
  if (runId === undefined) return mermaidOf(body)
  const run = await mustSeeRun(context, runId)
  const version = run.workflowId === state.workflowId ? await findCarriedVersion(context, run.workflowId, run.version) : undefined
  const { steps } = mustExist(version, 'workflow instance')
  const marks = await listMarks(context.tx, context.tenantId, runId)
  return mermaidOf({ steps }, new Map(marks.map(({ step, ...mark }) => [step, mark])))
}

export const getWorkflowDiagram = defineStagedOperation({
  ...reads(z.object({ mermaid: z.string(), svg: z.string() })),
  name: 'get_workflow_diagram',
  title: 'Draw a workflow',
  description:
    'The draft as a flowchart: Mermaid text, and SVG. With workflowInstanceId what that run follows, and how far each step is. Dotted arrows lead into lanes and loops.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/diagram',
  roles: 'DataView',
  input: z.object({ workflow: workflowSlot, workflowInstanceId: workflowInstanceId.optional().describe('Draws this run') }),
  examples: [
    {
      title: 'The review',
      input: { workflow: 'InspectionReview' },
      output: {
        mermaid: 'flowchart TD\nn0(["check: approval"])\nn1["close: saveRecord"]\nn0 -->|approve| n1',
        svg: '<svg xmlns="http://www.w3.org/2000/svg">…</svg>',
      },
    },
  ],
  async stagedHandler(context, input) {
    const { workflow, workflowInstanceId: runId } = input
    const mermaid = await context.inTransaction((inside) => drawn(inside, workflow, runId), { readOnly: true })
    return { mermaid, svg: await drawDiagram(mermaid, `tenant:${context.tenantId}`, context.signal) }
  },
})
