/** Bounds of files that are imported. */

/** A row may have this many characters. What never ends, an unclosed quote say, ends there instead of filling the memory. */
export const maxRowCharacters = 16 * 1024 * 1024
