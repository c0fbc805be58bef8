import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { newName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import { finding, refuseErrors } from '#platform/validation.ts'
import { nameTaken } from '#tools/properties/service.ts'

import { category, categoryId } from './schema.schema.ts'
import { insertCategories, listCategories, renameCategory } from './schema.store.ts'

export const saveCategory = defineOperation({
  ...writes(category),
  errors: ['already_exists'],
  name: 'save_category',
  title: 'Create or rename a category',
  description:
    "Makes a category for properties and entities, or renames the one with this categoryId. The product's own categories cannot be renamed.",
  method: 'POST',
  path: '/api/v1/categories/save',
  roles: 'BuilderAdmin',
  input: z.object({ categoryId: categoryId.optional().describe('Of the category to rename'), internalName: newName() }),
  examples: [{ title: 'A new one', input: { internalName: 'Safety' }, output: { categoryId: 21, internalName: 'Safety' } }],
  async handler(context, input) {
    const { tx, tenantId } = context
    const { internalName } = input
    return changeOtherDefinitions(context, async () => {
      const rows = await listCategories(tx, tenantId)
      const present = rows.find((row) => row.categoryId === input.categoryId)
      if (input.categoryId !== undefined && !present)
        refuseErrors([finding('$.categoryId', `There is no category ${input.categoryId}. list_categories shows them.`)], 'The category')
      if (present && !present.isOwn)
        throw new AppError('conflict', `${present.internalName} ships with the product and cannot be renamed. Make a category of your own.`)
      const taken = rows.find((row) => row.internalName.toLowerCase() === internalName.toLowerCase())
      if (taken && taken.categoryId !== input.categoryId) refuseErrors([nameTaken('$', 'category', taken.internalName)], 'The category')
      if (present) {
        await renameCategory(tx, tenantId, present.categoryId, internalName)
        return { categoryId: present.categoryId, internalName }
      }
      const [row] = await insertCategories(tx, tenantId, [internalName])
      return mustExist(row, 'category')
    })
  },
})
