import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import { defineOperation, type TxContext, writes } from '#platform/operation.ts'
import { finding, refuseErrors } from '#platform/validation.ts'
import { maxBodyCharacters } from '#tools/definitions/definitions.schema.ts'
import { changeDefinition, createDefinition, type DefinitionRow, findAnyDefinition, readDefinitions } from '#tools/definitions/service.ts'
import type { Catalog } from '#tools/entities/catalog.types.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { loadReferences, readLanguage } from '#tools/properties/service.ts'

import { readTemplate, type TemplateBody, type Variant, withVariant } from './templates.rules.ts'
import { bodyOf, placeOfTemplates, showTemplates } from './templates.ts'
import { exampleTemplate, maxVariants, messageTemplate, templateInput } from './templates.schema.ts'

async function presentBody(context: TxContext, catalog: Catalog, row: DefinitionRow | undefined): Promise<TemplateBody> {
  const [definition] = row ? await readDefinitions(context, [row], catalog) : []
  return definition ? bodyOf(definition.body) : { entity: null, variants: [] }
}

/** The code as the list of languages has it. Throws 400 with the nearest. */
async function readCode({ tx, tenantId }: TxContext, languageCode: string): Promise<string> {
  const references = await loadReferences(tx, tenantId)
  const found = readLanguage({ languageCode }, references, '$')
  if (typeof found !== 'number') refuseErrors([found], 'The template')
  return references.languages.find(({ languageRegionId }) => languageRegionId === found)?.languageCode ?? languageCode
}

export const saveMessageTemplate = defineOperation({
  ...writes(messageTemplate),
  isIdempotent: true,
  errors: ['unknown_property', 'unknown_entity'],
  name: 'save_message_template',
  title: 'Save a message template',
  description:
    'Saves what a template says in one language, for all channels or one kind: the same name, language and channel replaces that text. A recipient gets their language, else the tenant’s, else en-US. Tokens take values of a record, $recipient, $user, $param. Try it with preview_message, then send_message with template.',
  method: 'POST',
  path: '/api/v1/messaging/templates',
  roles: 'BuilderAdmin',
  input: templateInput,
  examples: [
    {
      title: 'In English, for all channels',
      input: {
        internalName: 'CrewArrives',
        languageCode: 'en-US',
        entity: 'WorkOrder',
        text: 'The crew for [[WorkOrder.Title]] arrives at [[$param.time]].',
      },
      output: exampleTemplate,
    },
  ],
  async handler(context, { internalName, languageCode, channel = null, text, card, entity }) {
    if ((text ?? '').trim() === '' && (card === undefined || Object.keys(card).length === 0)) {
      const message = 'The template is empty. Give a text or a card.'
      throw new AppError('invalid_input', message, { issues: [finding('$.text', message)] })
    }
    const saved: Variant = { languageCode: await readCode(context, languageCode), channel, text, card }
    return changeOtherDefinitions(context, async () => {
      const catalog = await cachedCatalog(context)
      const row = await findAnyDefinition(context, 'messageTemplate', internalName)
      const present = await presentBody(context, catalog, row)
      const body = { entity: entity === undefined ? present.entity : entity, variants: withVariant(present.variants, saved) }
      if (body.variants.length > maxVariants) throw new AppError('too_large', `A template has at most ${maxVariants} texts.`)
      if (JSON.stringify(body).length > maxBodyCharacters)
        throw new AppError('too_large', `The texts of a template have at most ${maxBodyCharacters} characters together.`)
      const { findings, references } = readTemplate(catalog, body, saved)
      refuseErrors(findings, 'The template')
      const draft = { internalName, description: '', body: { ...body }, references, isShared: true, isApiVisible: true }
      const kept = row ? await changeDefinition(context, row, draft) : await createDefinition(context, placeOfTemplates, draft)
      const [shown] = await showTemplates(context, catalog, [kept])
      if (!shown) throw new Error('A template was not shown')
      return shown
    })
  },
})
