/** Installs as the wire has them. */
import type { z } from 'zod'

import { mustExist } from '#platform/errors.ts'
import { toIssue } from '#platform/findings.ts'
import type { TxContext } from '#platform/operation.ts'
import { type Draft, type Installed, rolesOfBody, showInstallTriggers } from '#tools/workflows/service.ts'

import type { install, installedNow } from '../action-packs.schema.ts'
import { findInstalls, type InstallRow } from '../action-packs.store.ts'

export async function showInstall(context: TxContext, draft: Draft, known?: InstallRow): Promise<z.output<typeof install>> {
  const { row, state, body } = draft
  const installId = row.definitionId
  const beside = known ?? mustExist((await findInstalls(context.tx, context.tenantId, [installId])).get(installId), 'install')
  return {
    installId,
    internalName: row.internalName,
    actionPackId: beside.packId,
    actionPack: beside.pack,
    version: beside.version,
    isEnabled: state.isEnabled,
    settings: { ...beside.settings },
    // Those of an earlier version stay sealed for its runs.
    sealedSettings: beside.sealed.filter((name) => body.settings?.some((one) => one.name === name) === true),
    roles: rolesOfBody(body),
    tenantUserId: mustExist(state.serviceUserId ?? undefined, 'user'),
    triggers: await showInstallTriggers(context, draft),
    createdDate: row.createdDate,
    modifiedDate: row.modifiedDate,
  }
}

/** With the secrets that were made, this once, and with what is warned of. */
export async function showInstalled(context: TxContext, { draft, made, warnings }: Installed): Promise<z.output<typeof installedNow>> {
  const shown = await showInstall(context, draft)
  const triggers = shown.triggers.map((one) => {
    const secret = made.get(one.triggerId)
    return secret === undefined ? one : { ...one, secret }
  })
  return { ...shown, triggers, issues: warnings.slice(0, 50).map(toIssue) }
}
