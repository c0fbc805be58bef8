import { z } from 'zod'

import { changeDefinitions } from '#platform/db/definitions.ts'
import { AppError, type Issue, mustExist } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { idOrName } from '#platform/names.ts'
import { defineOperation, writes } from '#platform/operation.ts'
import type { CatalogEntity, CatalogProperty } from '#tools/entities/catalog.types.ts'
import { cachedCatalog, findAttached, noSuchAttached, setAnalysis } from '#tools/entities/service.ts'

import { resolveTargets, type TargetWishes } from './intelligence.rules.ts'
import { type AnalysisSettings, languages, minScore, model } from './intelligence.schema.ts'

const target = idOrName.optional().describe('A property of the same entity')

const answered = z.object({
  entityId: z.int(),
  entityPropertyId: z.int(),
  property: z.string(),
  ocr: z.boolean(),
  classify: z.boolean(),
  languages,
  model,
  minScore,
  targets: z.object({
    text: z.string().optional(),
    labels: z.string().optional(),
    topLabel: z.string().optional(),
    score: z.string().optional(),
  }),
})

export const setAttachmentAnalysis = defineOperation({
  ...writes(answered),
  isIdempotent: true,
  name: 'set_attachment_analysis',
  title: 'Set what is recognised in saved attachments',
  description:
    'Says what runs when a file is saved in an Attachment property, and which properties of the same record the results are written to: text into Text, ' +
    'labels into Text or a Choice list, topLabel into Text or Choice, score into Number; of a list of files also into lists, an element a file. It holds for saves from now on; the save answers jobIds for await_job. ' +
    'Replaces what was set before; with neither ocr nor classify it is switched off.',
  method: 'PUT',
  path: '/api/v1/entities/{entity}/properties/{entityPropertyId}/analysis',
  roles: 'BuilderAdmin',
  input: z.object({
    entity: idOrName,
    entityPropertyId: idOrName.describe('entityPropertyId, or the internalName of the property'),
    ocr: z.boolean().optional().describe('Read text; false unless told'),
    classify: z.boolean().optional().describe('Label pictures; false unless told'),
    languages: languages.optional(),
    model: model.optional(),
    minScore: minScore.optional(),
    targets: z.strictObject({ text: target, labels: target, topLabel: target, score: target }).optional(),
  }),
  errors: ['not_found', 'unprocessable'],
  examples: [
    {
      title: 'Read signs and say what photographs show',
      input: {
        entity: 'Inspection',
        entityPropertyId: 31,
        ocr: true,
        classify: true,
        targets: { text: 'SignText', topLabel: 'PhotoLabel' },
      },
      output: {
        entityId: 12,
        entityPropertyId: 31,
        property: 'Photo',
        ocr: true,
        classify: true,
        languages: ['eng'],
        model: 'resnet50-imagenet',
        minScore: 0.15,
        targets: { text: 'SignText', topLabel: 'PhotoLabel' },
      },
    },
  ],
  async handler(context, input) {
    const { tx, tenantId } = context
    const findEntity = async () => mustExist((await cachedCatalog(context)).byIdOrName.get(String(input.entity).toLowerCase()), 'entity')
    return changeDefinitions(
      context,
      async () => [(await findEntity()).entityId],
      async () => {
        const entity = await findEntity()
        const property = findAttached(entity.properties, input.entityPropertyId)
        if (!property) throw noSuchAttached(entity.properties, input.entityPropertyId)
        const wishes = {
          ocr: input.ocr ?? false,
          classify: input.classify ?? false,
          isListOfFiles: property.isList,
          targets: input.targets ?? {},
        }
        const settings: AnalysisSettings = {
          ocr: wishes.ocr,
          classify: wishes.classify,
          languages: input.languages ?? ['eng'],
          model: input.model ?? 'resnet50-imagenet',
          minScore: input.minScore ?? 0.15,
          targets: checkedTargets(entity, property, wishes),
        }
        await setAnalysis(tx, tenantId, property.entityPropertyId, settings.ocr || settings.classify ? settings : null)
        context.audit({ entity: entity.internalName, property: property.internalName, ocr: settings.ocr, classify: settings.classify })
        return {
          entityId: entity.entityId,
          entityPropertyId: property.entityPropertyId,
          property: property.internalName,
          ...settings,
          targets: namesOf(entity, settings.targets),
        }
      },
    )
  },
})

function checkedTargets(entity: CatalogEntity, property: CatalogProperty, wishes: TargetWishes): AnalysisSettings['targets'] {
  const issues: Issue[] = []
  if (property.dataType !== 'Attachment') {
    issues.push(finding('$.entityPropertyId', `${property.internalName} is ${property.dataType}; only Attachment properties are analysed.`))
  }
  const targets = resolveTargets(entity, wishes, issues)
  if (issues.length > 0) throw new AppError('invalid_input', 'The analysis cannot be set up like this.', { issues })
  const open = entity.properties.find((candidate) => Object.values(targets).includes(candidate.entityPropertyId) && !candidate.isSensitive)
  if (property.isSensitive && open) {
    throw new AppError(
      'unprocessable',
      `${property.internalName} is sensitive and ${open.internalName} is not: what is read in a sensitive file goes into sensitive properties only.`,
    )
  }
  return targets
}

function namesOf(entity: CatalogEntity, targets: AnalysisSettings['targets']): Record<string, string> {
  const nameOf = (id: number | undefined) => entity.properties.find((candidate) => candidate.entityPropertyId === id)?.internalName
  return Object.fromEntries(Object.entries(targets).flatMap(([kind, id]) => (nameOf(id) === undefined ? [] : [[kind, nameOf(id) ?? '']])))
}
