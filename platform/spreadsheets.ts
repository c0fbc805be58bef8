/** Texts as spreadsheets take them: in a CSV, where some would run as formulas, and in the XML of a workbook, which cannot hold all of them. */

/** Numbers and telephone numbers begin with a sign too, and are none. */
const formula = /^'*(?:[=@\t\r\n＝＠＋－]|[+-](?![\d\s().,/-]*$))/

/**
 * Of a CSV. A text that a spreadsheet would take for a formula gets an apostrophe before it, as spreadsheets have it: whoever opens a file must not run
 * what a stranger saved into a record. One that has apostrophes before it gets another, so that `unguardedText` gives back what there was.
 */
export function guardedText(text: string): string {
  return formula.test(text) ? `'${text}` : text
}

export function unguardedText(text: string): string {
  return text.startsWith("'") && formula.test(text) ? text.slice(1) : text
}

/** Of a workbook. Two characters are not allowed in XML: with one of them nobody could open the file. What reads like an escape there is escaped. */
export function workbookText(text: string): string {
  return text.replaceAll(/[\uFFFE\uFFFF]/g, '\uFFFD').replaceAll(/_(?=x[\da-f]{4}_)/gi, '_x005F_')
}
