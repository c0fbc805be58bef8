/** From an uploaded workbook to properties, entities and a form. */
import type { Readable } from 'node:stream'

import { changeOtherDefinitions } from '#platform/db/definitions.ts'
import { AppError } from '#platform/errors.ts'
import type { TxContext } from '#platform/operation.ts'
import { preparePatterns } from '#platform/patterns.ts'
import { eachInTurns, inTurns } from '#platform/turns.ts'
import { refuseErrors } from '#platform/validation.ts'
import { createDefinition } from '#tools/definitions/service.ts'
import { cachedCatalog } from '#tools/entities/service.ts'
import { ReadingDied, readSheets } from '#tools/instances/service.ts'
import { listKnownProperties, loadReferences } from '#tools/properties/service.ts'
import { entityInPath } from '#tools/query/service.ts'
import { importDocument } from '#tools/schema/service.ts'

import { keepLayout, placeOfForms, readFormDraft, showForm } from '../shown.ts'
import { carryLimits } from './carry.rules.ts'
import { cell, entitiesOf, type NotCarried, readSurvey, type Tenant, unheard, type Workbook } from './convert.rules.ts'
import { carrySurvey } from './layout-of.rules.ts'
import { rowsOf, type SheetRow } from './rows.rules.ts'

const sheets = ['survey', 'choices', 'settings'] as const
const limits = { maxColumns: 200, maxRows: 20_000, maxCharacters: 8 * 1024 * 1024 }

/** The three sheets, read in a process of their own. Throws AppError where it is no workbook, or takes too much. */
export async function readWorkbook(file: Readable, signal: AbortSignal): Promise<Workbook> {
  const rows = new Map<string, SheetRow[]>(sheets.map((sheet) => [sheet, []]))
  try {
    for await (const part of readSheets(file, { sheets, ...limits }, signal)) rows.get(part.sheet)?.push(...rowsOf(part.rows))
  } catch (error) {
    if (!(error instanceof ReadingDied)) throw error
    throw new AppError('unavailable', 'Reading the workbook was broken off. Call again.', { cause: error, retryAfterSeconds: 5 })
  }
  const [survey = [], choices = [], settings = []] = sheets.map((sheet) => rows.get(sheet))
  return { survey, choices, settings }
}

/** What of the tenant an import has to know. */
async function readTenant(context: TxContext): Promise<Tenant> {
  const { tx, tenantId } = context
  const { languages, usualLanguageId } = await loadReferences(tx, tenantId)
  const { entities } = await cachedCatalog(context)
  const lower = (rows: readonly { readonly internalName: string }[]) => new Set(rows.map((row) => row.internalName.toLowerCase()))
  return {
    properties: lower(await listKnownProperties(tx, tenantId)),
    entities: lower(entities),
    languageCodes: languages.map((one) => one.languageCode),
    usualLanguage: languages.find((one) => one.languageRegionId === usualLanguageId)?.languageCode ?? 'en-US',
  }
}

/** Makes all of it in the transaction, or nothing. */
export async function importWorkbook(context: TxContext, workbook: Workbook, fileName: string) {
  const tenant = await readTenant(context)
  const patterns: string[] = []
  // Compiled beside the event loop before a rule asks whether they can be.
  await eachInTurns(workbook.survey, (row) => {
    const constraint = cell(row, 'constraint')
    const regEx = constraint.includes('regex') ? carryLimits(constraint, 'Text', false)?.regEx : undefined
    if (regEx !== undefined) patterns.push(regEx)
  })
  await preparePatterns(patterns)
  const survey = await inTurns(readSurvey(workbook, tenant, fileName))
  refuseErrors(survey.problems, 'The XLSForm', 'imported')
  const [settings] = workbook.settings
  const { properties, layout, notCarried } = await inTurns(
    carrySurvey(survey, tenant, /\bpages\b/.test(settings ? cell(settings, 'style') : '')),
  )
  const entities = entitiesOf(survey, tenant)
  await importDocument(context, { properties: [...properties], entities }, { whenExists: 'refuse', scope: 'tenant' })
  return changeOtherDefinitions(context, async () => {
    const catalog = await cachedCatalog(context)
    const entity = entityInPath(catalog, survey.name)
    const draft = await readFormDraft(context, catalog, entity, layout, survey.name)
    const place = { ...placeOfForms, entityId: entity.entityId }
    const said = { internalName: survey.name, description: survey.title.slice(0, 2_000), isShared: false, isApiVisible: true }
    const row = await createDefinition(context, place, { ...draft, ...said })
    await keepLayout(context, row, 1)
    return {
      form: await showForm(context, catalog, row),
      entities: entities.map((one) => one.internalName),
      properties: properties.map((one) => one.internalName),
      notCarried: [...unheard(workbook), ...notCarried] satisfies NotCarried[],
    }
  })
}
