/** Reference records, the vocabulary and the caller's context on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'
import { definitionId } from '#platform/names.ts'
import { entity } from '#tools/entities/entities.schema.ts'
import { aggregates, operators } from '#tools/properties/operators.types.ts'
import { dataTypes, property } from '#tools/properties/properties.schema.ts'

export const language = z.object({ languageRegionId: z.int(), languageCode: z.string(), displayName: z.string() })
export const vertical = z.object({ verticalId: z.int(), internalName: z.string() })
export const categoryId = definitionId.describe('As list_categories shows it')
export const category = z.object({ categoryId, internalName: z.string() })

export const timeZone = z.object({
  timeZoneId: z.int(),
  timeZoneIana: z.string(),
  timeZoneAbbrev: z.string(),
  standardOffsetMinutes: z.int().describe('East of UTC, outside of daylight saving'),
  currentOffsetMinutes: z.int(),
})

export type TimeZone = z.output<typeof timeZone>

export const callerContext = z.object({
  tenantId: z.int(),
  tenantUserId: z.int(),
  userId: z.int(),
  userName: z.string(),
  displayName: z.string(),
  roleFlag: z.int().describe('Bits of the roles that this credential holds; list_roles names them'),
  languageRegionId: z.int(),
  ...timeZone.shape,
  serverTimeUtc: z.iso.datetime(),
  serverTimeLocal: z.iso.datetime({ local: true }).describe("In the caller's time zone, without offset"),
  tenantHost: z.string(),
  tenantSubDomain: z.string(),
  tenantName: z.string(),
})

const setting = z.object({ name: z.string(), isRequired: z.boolean() })

/** A kind of thing that no operation takes yet has an empty list. */
const notBuilt = z.object({ internalName: z.string() })

export const vocabulary = {
  dataTypes: z.array(
    z.object({
      dataTypeId: z.int(),
      internalName: z.enum(dataTypes),
      aliases: z.array(z.string()),
      value: z.string().describe('How a value stands in JSON'),
      rules: z.array(z.string()).describe('The fields of create_property that it takes'),
      operators: z.array(z.enum(operators)),
      aggregates: z.array(z.enum(aggregates)),
    }),
  ),
  operators: z.array(
    z.object({ internalName: z.enum(operators), value: z.enum(['one', 'list', 'pair', 'none']), description: z.string() }),
  ),
  aggregates: z.array(z.object({ internalName: z.enum(aggregates), description: z.string() })),
  cardinalities: z.array(z.object({ internalName: z.string(), isRequired: z.boolean(), isList: z.boolean() })),
  stepTypes: z.array(
    z.object({
      stepTypeId: z.int(),
      internalName: z.string(),
      description: z.string(),
      kind: z.enum(['act', 'wait', 'branch', 'lanes', 'loop', 'end']),
      config: z.looseObject({}).describe('JSON Schema; where it takes a value, a text with tokens does too'),
      result: z.array(z.string()).describe('What [[$steps.<name>.…]] has; empty: any'),
      actions: z.array(z.string()).describe('Of a step for people that names none'),
      roles: z.array(z.string()).describe('What the workflow must hold'),
      example: z.looseObject({}).describe('A config'),
    }),
  ),
  triggerTypes: z.array(
    z.object({
      triggerTypeId: z.int(),
      internalName: z.string(),
      description: z.string(),
      config: z.looseObject({}).describe('JSON Schema'),
      payload: z.array(z.string()).describe('What [[$trigger.…]] has'),
      example: z.looseObject({}).describe('A config'),
    }),
  ),
  sectionKinds: z.array(notBuilt.extend({ sectionKindId: z.int() })),
  storageProviderTypes: z.array(notBuilt.extend({ storageProviderTypeId: z.int(), settings: z.array(setting) })),
  channels: z.array(
    z.object({
      channelId: z.int(),
      internalName: z.string(),
      providers: z
        .array(z.object({ internalName: z.string(), settings: z.array(setting), secrets: z.array(setting) }))
        .describe('What create_channel takes; empty: needs no set-up'),
    }),
  ),
} as const

export type VocabularyPart = keyof typeof vocabulary

export const vocabularyParts = Object.keys(vocabulary) as [VocabularyPart, ...VocabularyPart[]]

export const wholeVocabulary = z.object(vocabulary)

export const dictionary = z.object({
  entities: z.array(
    entity.extend({
      properties: z.array(
        z.object({
          entityPropertyId: z.int(),
          propertyId: z.int(),
          internalName: z.string(),
          isRequired: z.boolean(),
          isList: z.boolean(),
          keyPart: z.int().nullable(),
        }),
      ),
      children: z.array(z.string()).describe('internalNames'),
      peers: z.array(z.string()).describe('internalNames'),
    }),
  ),
  properties: z.array(
    property.extend({ dataType: z.enum(dataTypes), options: z.array(z.string()).describe('internalNames, of Choice and Hierarchy') }),
  ),
})

component('Language', language)
component('Vertical', vertical)
component('Category', category)
component('TimeZone', timeZone)
component('CallerContext', callerContext)
component('Dictionary', dictionary)
