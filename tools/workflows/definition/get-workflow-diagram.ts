import { z } from 'zod'

import { drawDiagram } from '#platform/diagrams/drawing.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'

import { workflowSlot } from '../workflows.schema.ts'
import { mermaidOf } from './diagram.rules.ts'
import { openDraft } from './drafts.ts'

export const getWorkflowDiagram = defineStagedOperation({
  ...reads(z.object({ mermaid: z.string(), svg: z.string() })),
  name: 'get_workflow_diagram',
  title: 'Draw a workflow',
  description: 'The draft as a flowchart: Mermaid text, and SVG. Dotted arrows lead into lanes and loops.',
  method: 'POST',
  path: '/api/v1/workflows/{workflow}/diagram',
  roles: 'DataView',
  input: z.object({ workflow: workflowSlot }),
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
    const { body } = await context.inTransaction((inside) => openDraft(inside, input.workflow), { readOnly: true })
    const mermaid = mermaidOf(body)
    return { mermaid, svg: await drawDiagram(mermaid, `tenant:${context.tenantId}`, context.signal) }
  },
})
