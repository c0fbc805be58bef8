import type { Domain } from '#platform/operation.ts'

import { cloneForm } from './clone-form.ts'
import { createForm } from './create-form.ts'
import { deleteForm } from './delete-form.ts'
import { formsPhrases } from './forms.phrases.ts'
import { generateForm } from './generate-form.ts'
import { getFormSchema } from './get-form-schema.ts'
import { getForm } from './get-form.ts'
import { listEntityForms } from './list-entity-forms.ts'
import { listFormVersions } from './list-form-versions.ts'
import { linkOperations } from './links/index.ts'
import { linkPhrases } from './links/links.phrases.ts'
import type { TaskFloor } from './links/tasks.types.ts'
import { listForms } from './list-forms.ts'
import { recordOperations } from './records/index.ts'
import { recordPhrases } from './records/records.phrases.ts'
import { restoreFormVersion } from './restore-form-version.ts'
import { shortcutOperations } from './shortcuts/index.ts'
import { shortcutPhrases } from './shortcuts/shortcuts.phrases.ts'
import { updateForm } from './update-form.ts'
import { validateForm } from './validate-form.ts'
import { importXlsform } from './xlsform/import-xlsform.ts'

export const formsDomain = (tasks: TaskFloor): Domain => ({
  name: 'forms',
  title: 'Forms',
  summary: 'Layouts by which people and phones enter records: sections of fields, lists of children, conditions and locks.',
  operations: [
    listForms,
    listEntityForms,
    getForm,
    getFormSchema,
    createForm,
    generateForm,
    updateForm,
    deleteForm,
    validateForm,
    cloneForm,
    listFormVersions,
    restoreFormVersion,
    importXlsform,
    ...recordOperations,
    ...shortcutOperations,
    ...linkOperations(tasks),
  ],
  phrases: { ...formsPhrases, ...recordPhrases, ...shortcutPhrases, ...linkPhrases },
})
