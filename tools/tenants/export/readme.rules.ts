/** The page that an archive explains itself by, to people who have nothing else. */
import { exportedTables, leftOutTables } from './tables.rules.ts'

export interface ExportOf {
  readonly tenantId: number
  readonly name: string
  readonly subDomain: string
  /** When it was asked for. */
  readonly startedAt: string
}

/** What no archive has, whatever the tenant has. */
export const leftOut: readonly { readonly what: string; readonly why: string }[] = [
  ...exportedTables.flatMap(({ table, withheld = {} }) =>
    Object.entries(withheld).map(([column, why]) => ({ what: `${table}.${column}`, why })),
  ),
  ...Object.entries(leftOutTables).map(([what, why]) => ({ what, why })),
  { what: 'app_user, person_email, person_factor, recovery_code', why: 'log-ins of people, who may belong to other tenants too' },
  { what: 'files that were deleted', why: 'their bytes are gone; tables/asset.jsonl names them' },
]

export function readmeOf({ name, subDomain, startedAt }: ExportOf): string {
  return `# ${name.replaceAll(/\s+/g, ' ')}

Everything that the tenant ${subDomain} had when it was exported, begun ${startedAt}. It holds personal and sensitive data: keep it as you keep those.

A large tenant takes several archives. Unpack all of them into one folder: no file stands in two. What an archive goes on with has its number in the
name (\`records/WorkOrder-12.2.jsonl\` goes on with \`records/WorkOrder-12.jsonl\`).

- \`manifest.json\`, \`manifest.2.json\` …: the files of each archive with rows, bytes and SHA-256; the last one says \`isLast\` and the totals. \`leftOut\` names what is in none, and why.
- \`catalog.json\`: properties and entities, as import_catalog takes them.
- \`definitions.jsonl\`: views, forms, reports, workflows, contexts, templates, access rules and subscriptions as they stand, one a line.
- \`records/\`: the records of each entity, one a line, values by the names of properties and options; \`parentEIRecordId\` leads to the parent.
- \`history/\`: their earlier versions, and records that were deleted (\`deletedDate\`). A version held from \`modifiedDate\` to \`validTo\`.
- \`links.jsonl\`: records that are peers, and since when.
- \`files/<assetKey>/<name>\`: files; \`tables/asset.jsonl\` says what each is.
- \`tables/\`: everything else, one row a line, as below.

Files end in .jsonl where each line is a JSON object by itself; text is UTF-8, times are UTC in ISO 8601. Rows are as they were when they were read: what
changed while the export ran may be in it or not. A kind of which there is nothing has no file.

| file | what it holds |
| --- | --- |
${exportedTables.map(({ table, about }) => `| tables/${table}.jsonl | ${about} |`).join('\n')}
`
}
