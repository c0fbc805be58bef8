/** A world with entities to import into, and imports carried out as the worker does, without Temporal. */
import { Readable } from 'node:stream'

import type { AppError } from '#platform/errors.ts'
import { readJobForRun } from '#tools/jobs/service.ts'
import { importRunner } from '#tools/instances/service.ts'

import { openWorld, type World } from './world.ts'

export interface ImportWorld {
  readonly world: World
  upload(fileName: string, content: string | Uint8Array): Promise<string>
  /** The job's state, id and result, or the error that ended it. Into Task unless told. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as World.call
  importFile(fileName: string, content: string | Uint8Array, options?: object): Promise<any>
  close(): Promise<void>
}

/** The entities Task, with a property of every kind, and Area, a tree. */
export async function openImports(env: Record<string, string> = {}): Promise<ImportWorld> {
  const world = await openWorld(env)
  const options = ['open', 'done'].map((internalName) => ({ internalName }))
  for (const property of [
    { internalName: 'Title', dataType: 'Text' },
    { internalName: 'Amount', dataType: 'Number' },
    { internalName: 'Price', dataType: 'Currency' },
    { internalName: 'Due', dataType: 'DateTime' },
    { internalName: 'Day', dataType: 'DateOnly' },
    { internalName: 'At', dataType: 'TimeOnly' },
    { internalName: 'IsDone', dataType: 'Boolean' },
    { internalName: 'Status', dataType: 'Choice', propertyOptions: options },
    { internalName: 'Tags', dataType: 'Text' },
  ]) {
    await world.call('create_property', property)
  }
  const properties = ['Title', 'Amount', 'Price', 'Due', 'Day', 'At', 'IsDone', 'Status'].map((property) => ({ property }))
  await world.call('create_entity', { internalName: 'Task', properties: [...properties, { property: 'Tags', isList: true }] })
  await world.call('create_entity', { internalName: 'Area', properties: [{ property: 'Title' }] })
  await world.call('attach_child_entity', { entity: 'Area', childEntity: 'Area' })

  async function upload(fileName: string, content: string | Uint8Array): Promise<string> {
    const stream = Readable.from([Buffer.from(content)])
    const asset = await world.call('upload_asset', {}, { upload: { stream, fileName, mimeType: undefined, isTruncated: () => false } })
    return asset.assetKey
  }

  return {
    world,
    upload,
    async importFile(fileName, content, options = {}) {
      const assetKey = await upload(fileName, content)
      const { jobId } = await world.call('import_instances', { entity: 'Task', assetKey, ...options })
      for (let step = 0; step < 100; step++) {
        const job = await readJobForRun(world.platform.services, { tenantId: world.tenant.tenantId, jobId, attempt: 1 })
        if (!job) break
        const error = await importRunner.step(world.platform.services, job, new AbortController().signal).then(
          () => undefined,
          (thrown: AppError) => thrown,
        )
        if (error) return { code: error.code, message: error.message, issues: error.issues }
      }
      const { state, result } = await world.call('get_job', { jobId })
      return { jobId, state, ...result }
    },
    close: () => world.close(),
  }
}
