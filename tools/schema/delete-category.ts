import { z } from 'zod'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { AppError, mustExist } from '#platform/errors.ts'
import { defineOperation, destroys } from '#platform/operation.ts'

import { categoryId } from './schema.schema.ts'
import { countCategoryUses, deleteCategoryRow, listCategories } from './schema.store.ts'

export const deleteCategory = defineOperation({
  ...destroys(z.object({ categoryId, deleted: z.literal(true) })),
  name: 'delete_category',
  title: 'Delete a category',
  description:
    "Deletes a category of the tenant that no property and no entity is in; 409 while one is, and for the product's own. update_property and update_entity move them.",
  method: 'DELETE',
  path: '/api/v1/categories/{categoryId}',
  roles: 'BuilderAdmin',
  input: z.object({ categoryId }),
  examples: [{ title: 'An unused one', input: { categoryId: 21 }, output: { categoryId: 21, deleted: true } }],
  async handler(context, input) {
    const { tx, tenantId } = context
    return changeOtherDefinitions(context, async () => {
      const rows = await listCategories(tx, tenantId)
      const { isOwn, internalName } = mustExist(
        rows.find((row) => row.categoryId === input.categoryId),
        'category',
      )
      if (!isOwn) throw new AppError('conflict', `${internalName} ships with the product and cannot be deleted.`)
      const uses = await countCategoryUses(tx, tenantId, input.categoryId)
      if (uses > 0)
        throw new AppError('conflict', `${uses} properties and entities are in ${internalName}. Move them to another category first.`)
      await deleteCategoryRow(tx, tenantId, input.categoryId)
      return { categoryId: input.categoryId, deleted: true as const }
    })
  },
})
