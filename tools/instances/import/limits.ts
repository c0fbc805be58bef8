/** Bounds of files that are imported. */

/** A row may have this many characters. What never ends, an unclosed quote say, ends there instead of filling the memory. */
export const maxRowCharacters = 16 * 1024 * 1024
/** Of what a row gives to the record, as JSON: as much is parsed and checked at a time by the process that answers calls. */
export const maxSavedCharacters = 4 * 1024 * 1024
/** Of the name of a column. Questions of a survey stand there, but no texts. */
export const maxColumnCharacters = 1_000
/** Of what a mapping leads from: 300 properties, and the fields. */
export const maxMappingEntries = 400
