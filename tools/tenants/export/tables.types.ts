/** A table of the platform, as an export of its tenant has it. */
export interface ExportedTable {
  readonly table: string
  /** What it holds, for who reads the archive. */
  readonly about: string
  /** Beside the tenant's id, which is the same in every row. Whatever is not named here does not leave: what is added to a table is decided here. */
  readonly columns: readonly string[]
  /** The others, and why they stay. */
  readonly withheld?: Readonly<Record<string, string>>
  /** What names a row, where the table has no primary key. */
  readonly key?: readonly string[]
  /** Rows that are no part of it, as a condition on the others. */
  readonly only?: string
}
