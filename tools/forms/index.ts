import type { Domain } from '#platform/operation.ts'

import { formsPhrases } from './forms.phrases.ts'
import { validateForm } from './validate-form.ts'

export const formsDomain: Domain = {
  name: 'forms',
  title: 'Forms',
  summary: 'Layouts by which people and phones enter records: sections of fields, lists of children, conditions and locks.',
  operations: [validateForm],
  phrases: formsPhrases,
}
