import type { Domain } from '#platform/operation.ts'

import { cloneWorkflow } from './definition/clone-workflow.ts'
import { createWorkflow } from './definition/create-workflow.ts'
import { createWorkflowStep } from './definition/create-workflow-step.ts'
import { deleteWorkflow } from './definition/delete-workflow.ts'
import { deleteWorkflowAction } from './definition/delete-workflow-action.ts'
import { deleteWorkflowBranch } from './definition/delete-workflow-branch.ts'
import { deleteWorkflowStep } from './definition/delete-workflow-step.ts'
import { duplicateWorkflowStep } from './definition/duplicate-workflow-step.ts'
import { exportWorkflow } from './definition/export-workflow.ts'
import { getWorkflow } from './definition/get-workflow.ts'
import { getWorkflowDiagram } from './definition/get-workflow-diagram.ts'
import { getWorkflowStep } from './definition/get-workflow-step.ts'
import { importWorkflow } from './definition/import-workflow.ts'
import { listWorkflowVersions } from './definition/list-workflow-versions.ts'
import { listWorkflows } from './definition/list-workflows.ts'
import { moveWorkflowStep } from './definition/move-workflow-step.ts'
import { publishWorkflow } from './definition/publish-workflow.ts'
import { reorderWorkflowSteps } from './definition/reorder-workflow-steps.ts'
import { saveWorkflowAction } from './definition/save-workflow-action.ts'
import { saveWorkflowBranch } from './definition/save-workflow-branch.ts'
import { setWorkflowDisplay } from './definition/set-workflow-display.ts'
import { setWorkflowTriggers } from './definition/set-workflow-triggers.ts'
import { toggleWorkflow } from './definition/toggle-workflow.ts'
import { updateWorkflow } from './definition/update-workflow.ts'
import { updateWorkflowStep } from './definition/update-workflow-step.ts'
import { validateWorkflow } from './definition/validate-workflow.ts'
import { actOnWorkflowInstance } from './runs/act-on-workflow-instance.ts'
import { assignWorkflowInstance } from './runs/assign-workflow-instance.ts'
import { cancelWorkflowInstance } from './runs/cancel-workflow-instance.ts'
import { commentWorkflowInstance } from './runs/comment-workflow-instance.ts'
import { getWorkflowInstance } from './runs/get-workflow-instance.ts'
import { getWorkflowInstanceLog } from './runs/get-workflow-instance-log.ts'
import { listMyTasks } from './runs/list-my-tasks.ts'
import { listWorkflowInstances } from './runs/list-workflow-instances.ts'
import { pauseWorkflowInstance } from './runs/pause-workflow-instance.ts'
import { resumeWorkflowInstance } from './runs/resume-workflow-instance.ts'
import { retryWorkflowInstance } from './runs/retry-workflow-instance.ts'
import { signalWorkflowInstance } from './runs/signal-workflow-instance.ts'
import { startWorkflow } from './runs/start-workflow.ts'
import { testWorkflow } from './trial/test-workflow.ts'
import { runsPhrases } from './runs/runs.phrases.ts'
import { receiveWorkflowWebhook } from './triggers/receive-workflow-webhook.ts'
import { workflowsPhrases } from './workflows.phrases.ts'

export const workflowsDomain: Domain = {
  name: 'workflows',
  title: 'Workflows',
  summary: 'Definitions of what happens step by step, by itself and by people: steps, branches, triggers, versions.',
  operations: [
    listWorkflows,
    createWorkflow,
    getWorkflow,
    updateWorkflow,
    deleteWorkflow,
    setWorkflowDisplay,
    createWorkflowStep,
    getWorkflowStep,
    updateWorkflowStep,
    deleteWorkflowStep,
    duplicateWorkflowStep,
    moveWorkflowStep,
    reorderWorkflowSteps,
    saveWorkflowAction,
    deleteWorkflowAction,
    saveWorkflowBranch,
    deleteWorkflowBranch,
    setWorkflowTriggers,
    validateWorkflow,
    testWorkflow,
    publishWorkflow,
    toggleWorkflow,
    listWorkflowVersions,
    cloneWorkflow,
    importWorkflow,
    exportWorkflow,
    getWorkflowDiagram,
    startWorkflow,
    listWorkflowInstances,
    getWorkflowInstance,
    getWorkflowInstanceLog,
    actOnWorkflowInstance,
    assignWorkflowInstance,
    commentWorkflowInstance,
    pauseWorkflowInstance,
    resumeWorkflowInstance,
    cancelWorkflowInstance,
    retryWorkflowInstance,
    signalWorkflowInstance,
    listMyTasks,
    receiveWorkflowWebhook,
  ],
  phrases: { ...workflowsPhrases, ...runsPhrases },
}
