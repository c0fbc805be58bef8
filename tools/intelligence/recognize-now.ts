/** Recognition for somebody who waits: a workflow, awaited within a bound. */
import { randomUUID } from 'node:crypto'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import type { StagedContext } from '#platform/operation.ts'
import { type Findings, recognizeAssetSeconds, type RecognitionWish, type RecognizeAssetRequest } from '#platform/shapes/recognition.ts'
import { findReachable } from '#tools/assets/service.ts'

import { unsealFindings } from './sealed-findings.ts'

/** Past what the workflow itself allows, so that its own answer comes first. */
const waitMs = (recognizeAssetSeconds + 2) * 1000

const remedy =
  'For files that take longer save the asset in an Attachment property with set_attachment_analysis, then call await_job and get_attachment_analysis.'

/** Throws AppError `invalid_input` (no such asset), `unavailable` (Temporal is away), `timeout`. */
export async function recognizeNow(context: StagedContext, assetKey: string, wish: RecognitionWish): Promise<Findings> {
  const { services, tenantId, signal } = context
  const { temporal } = services
  if (services.config.holdsJobs)
    throw new AppError('unavailable', 'Jobs and recognition are held on this installation for now. GET /readyz tells more.', {
      retryAfterSeconds: 60,
    })
  const found = await context.inTransaction((inner) => findReachable(inner, [assetKey]), { readOnly: true })
  const asset = found.get(assetKey)
  if (!asset) {
    throw new AppError('invalid_input', 'The asset that was named does not exist.', {
      issues: [finding('$.assetKey', `There is no asset ${assetKey}.`)],
    })
  }
  context.audit({ assetKey: asset.assetKey, ...(asset.isSensitive ? { isSensitive: true } : {}) })
  const request: RecognizeAssetRequest = { ...wish, tenantId, assetKey: asset.assetKey }
  const workflowId = `recognizeAsset:${tenantId}:${randomUUID()}`
  const giveUp = () => void temporal.cancel(workflowId).catch((err: unknown) => context.log.debug({ err }, 'workflow not cancelled'))
  signal.addEventListener('abort', giveUp, { once: true })
  try {
    // No higher than saved files, or one tenant's calls would hold up everybody's; in a share of its own, or its own saved files would hold it up.
    const sealed = await temporal.execute({ workflow: 'recognizeAsset', workflowId, args: [request], tenantId, share: 'now' }, waitMs)
    return await unsealFindings(services, tenantId, asset.assetKey, String(sealed))
  } catch (error) {
    if (!(error instanceof AppError)) throw error
    if (error.code === 'timeout') {
      giveUp()
      throw new AppError('timeout', `The file was not read within ${recognizeAssetSeconds} seconds. ${remedy}`, {
        cause: error,
        retryAfterSeconds: 60,
      })
    }
    if (error.code === 'unavailable') {
      throw new AppError('unavailable', `Recognition is not available now: ${error.message} GET /readyz tells what is missing.`, {
        cause: error,
        retryAfterSeconds: error.retryAfterSeconds ?? 30,
      })
    }
    throw error
  } finally {
    signal.removeEventListener('abort', giveUp)
  }
}
