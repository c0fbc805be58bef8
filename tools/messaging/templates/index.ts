/** The operations on message templates, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { deleteMessageTemplate } from './delete-message-template.ts'
import { listMessageTemplates } from './list-message-templates.ts'
import { saveMessageTemplate } from './save-message-template.ts'

export const templateOperations: readonly Operation[] = [listMessageTemplates, saveMessageTemplate, deleteMessageTemplate]
