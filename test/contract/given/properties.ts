/** Working calls of the property operations. */
import type { Given, Stage } from '../arrange.ts'

async function textOf(stage: Stage): Promise<string> {
  const property = stage.unique('Serial')
  await stage.call('create_property', { internalName: property, dataType: 'Text', displays: [{ languageCode: 'en-US', name: 'Serial' }] })
  return property
}

async function choiceOf(stage: Stage): Promise<{ property: string; optionIds: number[] }> {
  const property = stage.unique('Priority')
  await stage.call('create_property', {
    internalName: property,
    dataType: 'Choice',
    propertyOptions: [{ internalName: 'Low' }, { internalName: 'High' }],
  })
  const options: { optionId: number }[] = (await stage.call('list_property_options', { property })) as { optionId: number }[]
  return { property, optionIds: options.map((option) => option.optionId) }
}

export const given: Given = {
  async list_properties(stage) {
    await textOf(stage)
    return { input: {} }
  },
  describe_property: async (stage) => ({ input: { property: await textOf(stage) } }),
  create_property: async (stage) => ({ input: { internalName: stage.unique('Amount'), dataType: 'Currency', maxDecimalPlaces: 2 } }),
  update_property: async (stage) => ({ input: { property: await textOf(stage), maxValueOrLength: 20 } }),
  delete_property: async (stage) => ({ input: { property: await textOf(stage) } }),
  set_property_display: async (stage) => ({ input: { property: await textOf(stage), languageCode: 'es-ES', name: 'Serie' } }),
  lock_property_translation: async (stage) => ({ input: { property: await textOf(stage), languageCode: 'en-US', isLocked: true } }),
  list_property_options: async (stage) => ({ input: { property: (await choiceOf(stage)).property } }),
  save_property_option: async (stage) => ({ input: { property: (await choiceOf(stage)).property, internalName: 'Urgent' } }),
  async reorder_property_options(stage) {
    const { property, optionIds } = await choiceOf(stage)
    return { input: { property, optionIds: optionIds.toReversed() } }
  },
  async delete_property_option(stage) {
    const { property, optionIds } = await choiceOf(stage)
    return { input: { property, optionId: optionIds[0] } }
  },
  get_property_usage: async (stage) => ({ input: { property: await textOf(stage) } }),
  validate_property: async (stage) => ({ input: { internalName: stage.unique('Amount'), dataType: 'Curency' } }),
  test_property_value: async (stage) => ({ input: { property: await textOf(stage), values: ['AB-1', 7] } }),
  save_property_option_filter: async (stage) => ({
    input: { property: (await choiceOf(stage)).property, internalName: 'Some', options: ['Low'] },
  }),
  list_property_option_filters: async (stage) => ({ input: { property: (await choiceOf(stage)).property } }),
}
