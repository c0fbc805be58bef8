/** The fields of a property as somebody changes them, and which calls their changes are. */
/** What describe_property tells of it. */
interface Facts {
  readonly name: string
  readonly description: string
  readonly internalName: string
  readonly minValueOrLength: number | null
  readonly maxValueOrLength: number | null
  readonly maxDecimalPlaces: number | null
  readonly regEx: string | null
  readonly allowedFileTypes: readonly string[]
  readonly isSensitive: boolean
}

/** What describe_entity tells of it. */
interface Attached {
  readonly isRequired: boolean
  readonly isList: boolean
  readonly keyPart: number | null
}

export type PropertyFacts = {
  readonly name: string
  readonly description: string
  readonly internalName: string
  readonly isRequired: boolean
  readonly isList: boolean
  /** Empty, or 1 to 3. */
  readonly keyPart: string
  readonly least: string
  readonly most: string
  readonly decimals: string
  readonly pattern: string
  /** Extensions with spaces between. */
  readonly fileTypes: string
  readonly isSensitive: boolean
}

const text = (value: string | number | null) => (value === null ? '' : String(value))

export function factsOf(part: Attached, facts: Facts): PropertyFacts {
  return {
    name: facts.name,
    description: facts.description,
    internalName: facts.internalName,
    isRequired: part.isRequired,
    isList: part.isList,
    keyPart: text(part.keyPart),
    least: text(facts.minValueOrLength),
    most: text(facts.maxValueOrLength),
    decimals: text(facts.maxDecimalPlaces),
    pattern: text(facts.regEx),
    fileTypes: facts.allowedFileTypes.join(' '),
    isSensitive: facts.isSensitive,
  }
}

const numberOf = (typed: string) => (typed.trim() === '' ? null : Number(typed))

/** The bodies of the calls that say what changed, of update_entity_property, update_property and set_property_display; undefined: no such call. */
export function callsOf(changed: ReadonlySet<string>, facts: PropertyFacts) {
  const only = <Body extends object>(fields: Readonly<Record<string, Partial<Body>>>): Partial<Body> | undefined => {
    const said = Object.entries(fields).filter(([name]) => changed.has(name))
    return said.length === 0 ? undefined : Object.assign({}, ...said.map(([, body]) => body))
  }
  const keyParts = { '1': 1, '2': 2, '3': 3 } as const
  return {
    attached: only<{ isRequired: boolean; isList: boolean; keyPart: 1 | 2 | 3 | null }>({
      isRequired: { isRequired: facts.isRequired },
      isList: { isList: facts.isList },
      keyPart: { keyPart: keyParts[facts.keyPart as keyof typeof keyParts] ?? null },
    }),
    rules: only<{
      internalName: string
      minValueOrLength: number | null
      maxValueOrLength: number | null
      maxDecimalPlaces: number | null
      regEx: string | null
      allowedFileTypes: string[]
      isSensitive: boolean
    }>({
      internalName: { internalName: facts.internalName.trim() },
      least: { minValueOrLength: numberOf(facts.least) },
      most: { maxValueOrLength: numberOf(facts.most) },
      decimals: { maxDecimalPlaces: numberOf(facts.decimals) },
      pattern: { regEx: facts.pattern === '' ? null : facts.pattern },
      fileTypes: { allowedFileTypes: facts.fileTypes.split(/[\s,.]+/).filter(Boolean) },
      isSensitive: { isSensitive: facts.isSensitive },
    }),
    display:
      changed.has('name') || changed.has('description') ? { name: facts.name.trim(), description: facts.description.trim() } : undefined,
  }
}
