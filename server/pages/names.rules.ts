/** What the controls of a form are called in what a browser posts. Property and section names hold no colon. */

/** `v` a value, `f` new files, `a` the keys of files that are there, `n` a typed signature, `i` the record of a row, `d` that a row is to go. */
export type Part = 'v' | 'f' | 'a' | 'n' | 'i' | 'd'

/** Where a field stands: in the record itself, or in a row of a list. */
export interface Place {
  readonly section?: string | undefined
  readonly row?: number | undefined
}

export function controlName(part: Part, { section, row }: Place, property?: string): string {
  return [part, ...(section === undefined ? [] : [section, String(row ?? 0)]), ...(property === undefined ? [] : [property])].join(':')
}

/** The same as the id of an element. */
export function elementId(name: string): string {
  return name.replaceAll(':', '-')
}

export interface Named extends Place {
  readonly part: Part
  readonly property?: string | undefined
}

/** Undefined for what no control of ours is called. */
export function readControlName(name: string): Named | undefined {
  const whole = /^([vfan]):([A-Za-z]\w{0,63})$/.exec(name)
  if (whole) return { part: whole[1] as Part, property: whole[2] }
  const inRow = /^([vfan]):([A-Za-z]\w{0,63}):(\d{1,4}):([A-Za-z]\w{0,63})$/.exec(name)
  if (inRow) return { part: inRow[1] as Part, section: inRow[2], row: Number(inRow[3]), property: inRow[4] }
  const ofRow = /^([id]):([A-Za-z]\w{0,63}):(\d{1,4})$/.exec(name)
  return ofRow ? { part: ofRow[1] as Part, section: ofRow[2], row: Number(ofRow[3]) } : undefined
}
