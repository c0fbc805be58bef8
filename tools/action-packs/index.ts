import type { Domain } from '#platform/operation.ts'

import { actionPacksPhrases } from './action-packs.phrases.ts'
import { installActionPack } from './installs/install-action-pack.ts'
import { listActionPackInstalls } from './installs/list-action-pack-installs.ts'
import { toggleActionPackInstall } from './installs/toggle-action-pack-install.ts'
import { uninstallActionPack } from './installs/uninstall-action-pack.ts'
import { updateActionPackInstall } from './installs/update-action-pack-install.ts'
import { createActionPack } from './packs/create-action-pack.ts'
import { deleteActionPack } from './packs/delete-action-pack.ts'
import { describeActionPack } from './packs/describe-action-pack.ts'
import { listActionPacks } from './packs/list-action-packs.ts'
import { listTriggerTypes } from './packs/list-trigger-types.ts'
import { updateActionPack } from './packs/update-action-pack.ts'
import { validateActionPack } from './packs/validate-action-pack.ts'
import { cancelActionRun } from './runs/cancel-action-run.ts'
import { fireActionPackInstall } from './runs/fire-action-pack-install.ts'
import { getActionCenterSummary } from './runs/get-action-center-summary.ts'
import { getActionRun } from './runs/get-action-run.ts'
import { listRunsOfActions } from './runs/list-action-runs.ts'
import { receiveActionWebhook } from './runs/receive-action-webhook.ts'
import { retryActionRun } from './runs/retry-action-run.ts'
import { testActionPackInstall } from './runs/test-action-pack-install.ts'

export const actionPacksDomain: Domain = {
  name: 'action-packs',
  title: 'Action packs',
  summary: 'Small apps that fire on triggers: described, installed with settings, and what they did in the Action Center.',
  operations: [
    listActionPacks,
    describeActionPack,
    listTriggerTypes,
    createActionPack,
    updateActionPack,
    deleteActionPack,
    validateActionPack,
    installActionPack,
    updateActionPackInstall,
    uninstallActionPack,
    listActionPackInstalls,
    toggleActionPackInstall,
    testActionPackInstall,
    fireActionPackInstall,
    listRunsOfActions,
    getActionRun,
    retryActionRun,
    cancelActionRun,
    getActionCenterSummary,
    receiveActionWebhook,
  ],
  phrases: actionPacksPhrases,
}
