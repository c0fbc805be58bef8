/** The operations on shortcuts of forms, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { createFormShortcut } from './create-form-shortcut.ts'
import { deleteFormShortcut } from './delete-form-shortcut.ts'
import { getFormShortcut } from './get-form-shortcut.ts'
import { listFormShortcutRecords } from './list-form-shortcut-records.ts'
import { listFormShortcuts } from './list-form-shortcuts.ts'
import { updateFormShortcut } from './update-form-shortcut.ts'

export const shortcutOperations: readonly Operation[] = [
  listFormShortcuts,
  getFormShortcut,
  createFormShortcut,
  updateFormShortcut,
  deleteFormShortcut,
  listFormShortcutRecords,
]
