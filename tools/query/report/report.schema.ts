/** Words of reports. */

/** The first five cut a time, the others take a part of it. */
export const dateParts = ['year', 'quarter', 'month', 'week', 'day', 'dayOfWeek', 'hourOfDay', 'monthOfYear'] as const
export type DatePart = (typeof dateParts)[number]

/** At which times a report of several shows its records: whenever one of them changed, or at a pace. */
export const cadences = ['change', 'hour', 'day', 'week', 'month'] as const
