/** What a builder may choose from: only what some operation takes today. */
import type { z } from 'zod'

import { channelKinds } from '#tools/messaging/messaging.schema.ts'
import { providersOf } from '#tools/messaging/service.ts'
import { aggregates, aggregatesOf, operators, operatorsOf } from '#tools/properties/operators.types.ts'
import { type DataType, dataTypes } from '#tools/properties/properties.schema.ts'

import type { wholeVocabulary } from './schema.schema.ts'

type Vocabulary = z.output<typeof wholeVocabulary>

const values: Readonly<Record<DataType, string>> = {
  Number: 'A number',
  DateTime: 'ISO 8601 text in UTC with milliseconds, such as 2026-03-01T08:30:00.000Z; another offset is converted',
  DateOnly: 'Text YYYY-MM-DD',
  TimeOnly: 'Text HH:MM or HH:MM:SS',
  Text: 'Text of at most 32,768 characters',
  Choice: 'The internalName of an option',
  Attachment: 'The assetKey of an uploaded file',
  Signature: 'The assetKey of an uploaded drawing',
  Boolean: 'true or false',
  Currency: 'A number of at most 15 digits',
  Hierarchy: 'The internalName of an option, of any level',
  Binary: 'The assetKey of an uploaded file',
}

function rulesOf(dataType: DataType): string[] {
  switch (dataType) {
    case 'Number':
    case 'Currency':
      return ['minValueOrLength', 'maxValueOrLength', 'maxDecimalPlaces', 'isSensitive']
    case 'Text':
      return ['minValueOrLength', 'maxValueOrLength', 'regEx', 'isSensitive', 'isIdentityEmail', 'isIdentityPhone']
    case 'Choice':
    case 'Hierarchy':
      return ['propertyOptions', 'isSensitive']
    case 'Attachment':
    case 'Signature':
    case 'Binary':
      return ['allowedFileTypes', 'isSensitive']
    case 'DateTime':
    case 'DateOnly':
    case 'TimeOnly':
    case 'Boolean':
      return ['isSensitive']
  }
}

const operatorNotes: Readonly<Record<(typeof operators)[number], readonly ['one' | 'list' | 'pair' | 'none', string]>> = {
  eq: ['one', 'Equal; text exactly'],
  ne: ['one', 'Not equal; holds for empty values'],
  gt: ['one', 'Greater or later'],
  gte: ['one', 'Greater, later or equal'],
  lt: ['one', 'Less or earlier'],
  lte: ['one', 'Less, earlier or equal'],
  between: ['pair', '[from, to], both ends included'],
  in: ['list', 'One of these'],
  notIn: ['list', 'None of these; holds for empty values'],
  contains: ['one', 'Text within, without regard to case'],
  notContains: ['one', 'Not within; holds for empty values'],
  startsWith: ['one', 'Without regard to case'],
  endsWith: ['one', 'Without regard to case'],
  isEmpty: ['none', 'Has no value'],
  isNotEmpty: ['none', 'Has a value'],
  under: ['one', 'This option or one below it'],
}

const aggregateNotes: Readonly<Record<(typeof aggregates)[number], string>> = {
  COUNT: 'How many',
  SUM: 'Sum of numbers',
  AVG: 'Mean of numbers',
  MIN: 'Least or earliest',
  MAX: 'Greatest or latest',
}

/** What the domains above bring into the vocabulary. */
export type FlowVocabulary = Pick<Vocabulary, 'stepTypes' | 'triggerTypes'>

export const vocabularyNow = (flow: FlowVocabulary): Vocabulary => ({
  dataTypes: dataTypes.map((internalName, index) => ({
    dataTypeId: index + 1,
    internalName,
    aliases: internalName === 'DateTime' ? ['Date'] : [],
    value: values[internalName],
    rules: rulesOf(internalName),
    operators: [...operatorsOf(internalName)],
    aggregates: [...aggregatesOf(internalName)],
  })),
  operators: operators.map((internalName) => {
    const [value, description] = operatorNotes[internalName]
    return { internalName, value, description }
  }),
  aggregates: aggregates.map((internalName) => ({ internalName, description: aggregateNotes[internalName] })),
  cardinalities: [
    { internalName: 'optionalSingle', isRequired: false, isList: false },
    { internalName: 'requiredSingle', isRequired: true, isList: false },
    { internalName: 'optionalList', isRequired: false, isList: true },
    { internalName: 'requiredList', isRequired: true, isList: true },
  ],
  ...flow,
  sectionKinds: [],
  storageProviderTypes: [{ storageProviderTypeId: 1, internalName: 'LocalDisk', settings: [] }],
  channels: channelKinds.map((internalName, index) => ({
    channelId: index + 1,
    internalName,
    providers:
      internalName === 'inbox'
        ? []
        : providersOf(internalName).map(({ name, settingFields, secretFields }) => ({
            internalName: name,
            settings: [...settingFields],
            secrets: [...secretFields],
          })),
  })),
})
