/**
 * JSON Schemas for the documents of the REST API. A tool's schema stands by itself and is short, since a model pays for it; a client generator wants what
 * repeats under one name, and the whole type of what a tool says in words.
 */
import { z } from 'zod'

import { type JsonSchema, openObjects, slim } from './json-schema.ts'

interface Documented {
  readonly name?: string
  readonly as: z.ZodType
}

// Not in zod's registry: an id there would put $ref into the schemas of the tools.
const documented = new WeakMap<z.core.$ZodType, Documented>()

/** What was said of a schema, or of the one that it is a described form of. */
function documentedOf(schema: z.core.$ZodType): Documented | undefined {
  return documented.get(schema) ?? (schema._zod.parent && documentedOf(schema._zod.parent))
}

/** Gives a schema a name in the documents, and, where `as` is given, another shape there. Its optional and described forms go by the same name. */
export function component<S extends z.ZodType>(name: string, schema: S, as: z.ZodType = schema): S {
  documented.set(schema, { name, as })
  return schema
}

/** Shows a schema in the documents as another one: what it takes is checked later than by itself, by the handler. */
export function documentAs<S extends z.ZodType>(schema: S, as: z.ZodType): S {
  documented.set(schema, { as })
  return schema
}

const refTo = (name: string) => `#/components/schemas/${name}`

/** The schemas of one document, and the components that they came to need. */
export interface DocumentSchemas {
  /** What a caller gets: open, so that a field can be added later. All of these are asked for before the first of the others. */
  answered(schema: z.ZodType): JsonSchema
  /** What a caller sends. Where it refuses more than what is answered under the same name, its name ends in Input. */
  sent(schema: z.ZodType): JsonSchema
  components(): Readonly<Record<string, JsonSchema>>
}

/** Throws on two schemas of one name, as soon as it meets the second. */
export function documentSchemas(): DocumentSchemas {
  const found = new Map<string, { readonly as: z.ZodType; body: JsonSchema; readonly io: 'input' | 'output' }>()
  const comparing = new Set<string>()

  function bodyOf(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const json: unknown = slim(
      z.toJSONSchema(schema, {
        io: 'input',
        reused: 'inline',
        cycles: 'throw',
        override: ({ zodSchema, jsonSchema }) => {
          if (Object.is(zodSchema, schema)) return
          const known = documentedOf(zodSchema)
          if (!known) return
          const { description } = jsonSchema
          const shown = shownAs(known, io)
          for (const key of Object.keys(jsonSchema)) delete jsonSchema[key]
          Object.assign(jsonSchema, shown, description === undefined || shown['description'] === description ? {} : { description })
        },
      }),
      { keepsEmpty: true },
    )
    // toJSONSchema answers an object.
    return io === 'input' ? (json as JsonSchema) : openObjects(json)
  }

  function shownAs({ name, as }: Documented, io: 'input' | 'output'): JsonSchema {
    if (name !== undefined) return reference(name, as, io)
    const known = documentedOf(as)
    return known === undefined ? bodyOf(as, io) : shownAs(known, io)
  }

  function reference(name: string, as: z.ZodType, io: 'input' | 'output'): JsonSchema {
    const known = found.get(name)
    if (known && known.as !== as) throw new Error(`${name} names two schemas in the documents`)
    if (!known) {
      const entry = { as, io, body: {} }
      // Before its body, which may hold it.
      found.set(name, entry)
      entry.body = bodyOf(as, io)
    } else if (known.io !== io) {
      if (io === 'output') throw new Error(`${name} is answered: ask for what is answered first`)
      // What holds itself, as groups of a filter do, is held to be equal inside while it is compared.
      if (comparing.has(name)) return { $ref: refTo(name) }
      comparing.add(name)
      const isSame = JSON.stringify(bodyOf(as, io)) === JSON.stringify(known.body)
      comparing.delete(name)
      if (!isSame) return reference(`${name}Input`, as, io)
    }
    return { $ref: refTo(name) }
  }

  return {
    answered(schema) {
      const known = documentedOf(schema)
      return known === undefined ? bodyOf(schema, 'output') : shownAs(known, 'output')
    },
    // Never a reference, since path and query are taken out of it; strict at its root by rule.
    sent: (schema) => ({ ...bodyOf(schema, 'input'), additionalProperties: false }),
    components: () =>
      Object.fromEntries([...found].map(([name, { body }]) => [name, body] as const).toSorted(([a], [b]) => (a < b ? -1 : 1))),
  }
}
