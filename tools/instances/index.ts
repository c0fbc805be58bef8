/** Records: saving, reading, deleting, and what they were. */
import type { Domain } from '#platform/operation.ts'

import { aggregateInstances } from './aggregate-instances.ts'
import { countInstances } from './count-instances.ts'
import { deleteInstanceByExternalKey } from './delete-instance-by-external-key.ts'
import { deleteInstanceByKey } from './delete-instance-by-key.ts'
import { deleteInstance } from './delete-instance.ts'
import { deleteInstancesBulk } from './delete-instances-bulk.ts'
import { exportInstances } from './export/export-instances.ts'
import { getInstanceAsOf } from './get-instance-as-of.ts'
import { getInstanceByKey } from './get-instance-by-key.ts'
import { getInstanceHistory } from './get-instance-history.ts'
import { getInstanceVariance } from './get-instance-variance.ts'
import { getInstance } from './get-instance.ts'
import { importInstances } from './import/import-instances.ts'
import { instancesPhrases } from './instances.phrases.ts'
import { listChildInstances } from './list-child-instances.ts'
import { listInstancesAsOf } from './list-instances-as-of.ts'
import { listInstancesChangedSince } from './list-instances-changed-since.ts'
import { listInstancesDeletedSince } from './list-instances-deleted-since.ts'
import { listInstances } from './list-instances.ts'
import { updateInstancesByFilter } from './many/update-instances-by-filter.ts'
import { wipeInstances } from './many/wipe-instances.ts'
import { linkPeerInstances } from './peers/link-peer-instances.ts'
import { listPeerInstances } from './peers/list-peer-instances.ts'
import { unlinkPeerInstances } from './peers/unlink-peer-instances.ts'
import { restoreInstance } from './restore-instance.ts'
import { revertInstance } from './revert-instance.ts'
import { saveInstance } from './save-instance.ts'
import { saveInstancesBulk } from './save-instances-bulk.ts'
import { setInstanceParent } from './set-instance-parent.ts'
import { searchInstances } from './search/search-instances.ts'
import { upsertInstance } from './upsert-instance.ts'
import { validateInstance } from './validate-instance.ts'

export const instancesDomain: Domain = {
  name: 'instances',
  title: 'Records',
  summary: 'Saving, reading and deleting records of an entity, their history, and their changes since a watermark.',
  operations: [
    saveInstance,
    upsertInstance,
    validateInstance,
    getInstance,
    getInstanceByKey,
    listInstances,
    countInstances,
    listChildInstances,
    setInstanceParent,
    searchInstances,
    aggregateInstances,
    saveInstancesBulk,
    updateInstancesByFilter,
    importInstances,
    exportInstances,
    deleteInstance,
    deleteInstanceByKey,
    deleteInstanceByExternalKey,
    deleteInstancesBulk,
    wipeInstances,
    linkPeerInstances,
    unlinkPeerInstances,
    listPeerInstances,
    restoreInstance,
    revertInstance,
    getInstanceHistory,
    getInstanceAsOf,
    listInstancesAsOf,
    getInstanceVariance,
    listInstancesChangedSince,
    listInstancesDeletedSince,
  ],
  phrases: instancesPhrases,
}
