/** Made-up data of a kind, in the form that its schema says. */
type Schema = Readonly<Record<string, unknown>>

function sampleOf(name: string, schema: Schema): unknown {
  if (Array.isArray(schema['anyOf'])) return sampleOf(name, schema['anyOf'][0] as Schema)
  switch (schema['type']) {
    case 'integer':
    case 'number':
      return 1
    case 'array':
      return []
    case 'object':
      return {}
    default:
      return name === 'changeNo' ? '1' : 'sample'
  }
}

/** `isSample` tells it from what happened. */
export function sampleData(schema: Schema, real: Readonly<Record<string, unknown>>): Record<string, unknown> {
  // The schema of an object with properties, made by the catalogue of kinds.
  const properties = schema['properties'] as Readonly<Record<string, Schema>>
  const made = Object.entries(properties).map(([name, one]) => [name, sampleOf(name, one)] as const)
  return { ...Object.fromEntries(made), ...real, isSample: true }
}
