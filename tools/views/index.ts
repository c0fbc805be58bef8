import type { Domain } from '#platform/operation.ts'

import { cloneView } from './clone-view.ts'
import { deleteView } from './delete-view.ts'
import { executeView } from './execute-view.ts'
import { exportView } from './export-view.ts'
import { getView } from './get-view.ts'
import { listViews } from './list-views.ts'
import { saveView } from './save-view.ts'
import { setViewSync } from './set-view-sync.ts'
import { shareView } from './share-view.ts'
import { updateView } from './update-view.ts'
import { validateView } from './validate-view.ts'
import { viewsPhrases } from './views.phrases.ts'

export const viewsDomain: Domain = {
  name: 'views',
  title: 'Views',
  summary: 'Saved lists of records: visible columns, filters, sort and size of a page, run by name.',
  operations: [
    listViews,
    getView,
    saveView,
    updateView,
    deleteView,
    validateView,
    executeView,
    exportView,
    cloneView,
    shareView,
    setViewSync,
  ],
  phrases: viewsPhrases,
}
