/** What keeps a tool list readable for every host: each rule is one that some host breaks on. */

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const rootUnions = ['oneOf', 'anyOf', 'allOf', 'if', 'not', 'enum']
const references = ['$ref', '$defs', 'definitions', '$dynamicRef', '$schema', 'x-mcp-header']
/** Keywords whose value maps names to schemas, and those whose value is a schema or several. */
const schemaMaps = ['properties', 'patternProperties']
const schemaLists = ['items', 'prefixItems', 'oneOf', 'anyOf', 'allOf', 'not', 'if', 'then', 'else', 'contains']

function lintSchema(schema: unknown, path: string, findings: string[]): void {
  if (!isObject(schema)) {
    findings.push(`${path} is no object`)
    return
  }
  if (Object.keys(schema).length === 0) findings.push(`${path} is the empty schema`)
  const types = [schema['type']].flat()
  if (types.includes('array') && !('items' in schema)) findings.push(`${path} is an array that does not say what it holds`)
  for (const keyword of references) if (keyword in schema) findings.push(`${path} has ${keyword}`)
  for (const keyword of schemaMaps) {
    const map = schema[keyword]
    if (isObject(map)) for (const [name, part] of Object.entries(map)) lintSchema(part, `${path}.${name}`, findings)
  }
  for (const keyword of schemaLists) {
    if (!(keyword in schema)) continue
    const part = schema[keyword]
    for (const each of Array.isArray(part) ? part : [part]) lintSchema(each, `${path}.${keyword}`, findings)
  }
  const rest = schema['additionalProperties']
  if (rest !== undefined && typeof rest !== 'boolean') lintSchema(rest, `${path}.*`, findings)
}

function lintRoot(schema: unknown, path: string, findings: string[]): void {
  lintSchema(schema, path, findings)
  if (!isObject(schema)) return
  if (schema['type'] !== 'object') findings.push(`${path} is not of type object`)
  for (const keyword of rootUnions) if (keyword in schema) findings.push(`${path} has ${keyword} at its root`)
}

/** The findings about one tool of a list; none when every host can take it. */
export function lintTool(tool: Readonly<Record<string, unknown>>): string[] {
  const findings: string[] = []
  const { name, title, description, annotations } = tool
  const path = String(name)
  if (typeof name !== 'string' || !/^[a-z][a-z0-9_]{0,39}$/.test(name)) findings.push(`${path} is no tool name`)
  if (typeof title !== 'string' || title === '') findings.push(`${path} has no title`)
  if (typeof description !== 'string' || description.length === 0 || description.length > 1000)
    findings.push(`${path} has no usable description`)
  lintRoot(tool['inputSchema'], path, findings)
  if ('outputSchema' in tool) lintRoot(tool['outputSchema'], `${path} →`, findings)
  const hints = isObject(annotations) ? annotations : {}
  for (const hint of ['readOnlyHint', 'destructiveHint', 'idempotentHint']) {
    if (typeof hints[hint] !== 'boolean') findings.push(`${path} lacks ${hint}`)
  }
  if (hints['readOnlyHint'] === true && hints['destructiveHint'] === true) findings.push(`${path} only reads and destroys`)
  return findings
}
