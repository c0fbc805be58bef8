/** What the list of tools costs a model, and what it leaves out of the schemas that hold the calls. */
import { describe, expect, it } from 'vitest'

import { buildRegistry } from '#platform/registry.ts'
import { listedSchema } from '#server/mcp/listed-schema.ts'
import { domains } from '#tools/index.ts'

import { lintTool } from './support/tool-lint.ts'

const tools = buildRegistry(domains).operations.filter((operation) => operation.isTool)

/** An entry as `tools/list` has it. */
const entries = tools.map(({ name, title, description, inputSchema, annotations }) => {
  const entry = { name, title, description, inputSchema: listedSchema(inputSchema), annotations }
  return { ...entry, bytes: Buffer.byteLength(JSON.stringify(entry)) }
})

const fieldsOf = (schema: Readonly<Record<string, unknown>>) => Object.entries((schema['properties'] ?? {}) as Record<string, object>)

describe('the list of all tools', () => {
  it('has a median entry of at most 700 bytes', () => {
    const sizes = entries.map(({ bytes }) => bytes).toSorted((a, b) => a - b)
    expect(sizes.length).toBeGreaterThan(100)
    expect(sizes[Math.floor(sizes.length / 2)]).toBeLessThanOrEqual(700)
  })

  it('has no entry of more than 2,500 bytes but the four that take whole definitions', () => {
    const large = entries.filter(({ bytes }) => bytes > 2_500).map(({ name }) => name)
    expect(large).toEqual(['import_catalog', 'create_property', 'validate_property', 'create_context'])
    expect(Math.max(...entries.map(({ bytes }) => bytes))).toBeLessThan(5_000)
  })

  it('says of every parameter what it is', () => {
    const fields = tools.flatMap(({ name, inputSchema }) => fieldsOf(inputSchema).map(([field, schema]) => ({ name, field, schema })))
    expect(fields.length).toBeGreaterThan(400)
    expect(fields.filter(({ schema }) => !('description' in schema)).map(({ name, field }) => `${name}.${field}`)).toEqual([])
  })

  it('is one that every host can take', () => {
    expect(entries.flatMap(lintTool)).toEqual([])
  })

  it('leaves out no field but second names, and none that a call must have', () => {
    const left = tools.flatMap(({ name, inputSchema }) => {
      const shown = new Set(fieldsOf(listedSchema(inputSchema)).map(([field]) => field))
      expect(listedSchema(inputSchema)['required']).toEqual(inputSchema['required'])
      return fieldsOf(inputSchema).flatMap(([field, schema]) => (shown.has(field) ? [] : [{ name, field, schema }]))
    })
    expect(new Set(left.map(({ field }) => field))).toEqual(new Set(['pageNumber', 'filters', 'changedSince']))
    expect(left.filter(({ schema }) => !String((schema as { description?: string }).description).startsWith('Another name of '))).toEqual(
      [],
    )
  })
})

describe('a listed schema', () => {
  const listed = (field: object) => fieldsOf(listedSchema({ type: 'object', properties: { field } }))[0]?.[1]

  it('keeps what helps to fill it in, and leaves bounds to the error that names them', () => {
    expect(listed({ type: 'string', minLength: 1, maxLength: 200, enum: ['a', 'b'] })).toEqual({ type: 'string', enum: ['a', 'b'] })
    expect(listed({ type: 'integer', minimum: 1, maximum: 2_147_483_647 })).toEqual({ type: 'integer' })
    expect(listed({ type: 'integer', minimum: 1, maximum: 55 })).toEqual({ type: 'integer', maximum: 55 })
    expect(listed({ type: 'string', pattern: '^[0-9a-f]{40}$' })).toEqual({ type: 'string', pattern: '^[0-9a-f]{40}$' })
    expect(listed({ type: 'string', pattern: 'x'.repeat(41) })).toEqual({ type: 'string' })
  })

  it('writes several plain types as one list of them, and says nothing twice', () => {
    const idOrName = {
      anyOf: [
        { type: 'integer', minimum: 1 },
        { type: 'string', maxLength: 200 },
      ],
    }
    expect(listed(idOrName)).toEqual({ type: ['integer', 'string'] })
    const described = { description: 'A pattern', anyOf: [{ type: 'string', description: 'RE2' }, { type: 'null' }] }
    expect(listed(described)).toEqual({ description: 'A pattern', type: ['string', 'null'] })
    const withEnum = { anyOf: [{ type: 'string', enum: ['a'] }, { type: 'null' }] }
    expect(listed(withEnum)).toEqual(withEnum)
  })

  it('shows objects in a list, and of those below them only the small ones', () => {
    const of = (...names: string[]) => ({
      type: 'object',
      properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])),
      required: [names[0]],
    })
    const small = { type: 'array', items: of('key', 'label') }
    const large = { type: 'array', items: of('languageRegionId', 'languageCode', 'name', 'description', 'isTranslationLocked') }
    const rows = (cell: object) => ({ type: 'array', items: { type: 'object', properties: { cell } } })
    expect(listed(large)).toEqual(large)
    expect(listed(rows(small))).toEqual(rows(small))
    expect(listed(rows(large))).toEqual(rows({ type: 'array', items: { type: 'object' } }))
  })

  it('keeps fields that are called like a keyword', () => {
    const schema = {
      type: 'object',
      properties: { pattern: { type: 'string' }, required: { type: 'boolean' }, properties: { type: 'array', items: { type: 'string' } } },
    }
    expect(listed(schema)).toEqual(schema)
  })
})
