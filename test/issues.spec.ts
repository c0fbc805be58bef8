/** What is said about an input that does not fit: what was wrong, what is allowed, and the nearest right one. */
import { describe, expect, it } from 'vitest'
import { z } from 'zod'

import { parseInput } from '#platform/issues.ts'
import { idOrName, newName } from '#platform/names.ts'
import { nearest, quoted } from '#platform/suggest.ts'

const schema = z.object({
  entity: idOrName.optional(),
  keyPart: z
    .union([z.literal(1), z.literal(2), z.literal(3)])
    .nullable()
    .optional(),
  limit: z.int().min(1).max(55).optional(),
  share: z.number().gt(0).optional(),
  text: z.string().min(1).max(5).optional(),
  tags: z.array(z.string()).min(1).max(2).optional(),
  at: z.iso.datetime({ offset: true }).optional(),
  internalName: newName('entity').optional(),
  theme: z.union([z.string(), z.strictObject({ colour: z.string() })]).optional(),
})

function issueOf(input: unknown, of: z.ZodObject = schema) {
  const parsed = parseInput(of, input)
  if (parsed.isOk) throw new Error('The input fits')
  expect(parsed.issues).toHaveLength(1)
  return parsed.issues[0]
}

describe('an issue', () => {
  it.each([
    ['a value of another type', { entity: 1.5 }, 'Expected whole number or string, got 1.5.'],
    ['a value of no allowed type', { entity: true }, 'Expected number or string, got true.'],
    ['an empty name where an id or a name is asked', { entity: '' }, 'At least 1 character, got 0.'],
    ['a literal that is none of them', { keyPart: 4 }, '4 is not allowed. Allowed: 1, 2, 3.'],
    ['a literal as text', { keyPart: '1' }, '"1" is not allowed. Allowed: 1, 2, 3. Send it without quotes.'],
    ['a number below its least', { limit: 0 }, 'At least 1, got 0.'],
    ['a number above its greatest', { limit: 56 }, 'At most 55, got 56.'],
    ['a number at an open end', { share: 0 }, 'More than 0, got 0.'],
    ['a text that is too short', { text: '' }, 'At least 1 character, got 0.'],
    ['a text that is too long', { text: 'abcdefg' }, 'At most 5 characters, got 7.'],
    ['a list without an element', { tags: [] }, 'At least 1 element, got 0.'],
    ['a list that is too long', { tags: ['a', 'b', 'c'] }, 'At most 2 elements, got 3.'],
    ['a day in place of a time', { at: '2030-01-01' }, '"2030-01-01" is no ISO 8601 time with its zone, such as 2026-11-21T10:00:00Z.'],
    ['an unknown field of one of several forms', { theme: { color: 'red', colour: 'red' } }, 'There is no field "color". Allowed: colour.'],
  ])('tells %s', (_what, input, message) => {
    expect(issueOf(input)?.message).toBe(message)
  })

  it('says that a field is required, not that nothing was the wrong thing', () => {
    expect(issueOf({}, z.object({ entity: idOrName }))).toMatchObject({
      path: '$.entity',
      message: 'Required, a value of type number or string.',
    })
    expect(issueOf({}, z.object({ keyPart: z.union([z.literal(1), z.literal(2)]) }))).toMatchObject({ message: 'Required. Allowed: 1, 2.' })
  })

  it.each([
    ['In progress', 'InProgress'],
    ['work-order', 'workOrder'],
    ['Größe (cm)', 'GrosseCm'],
    ['Año', 'Ano'],
    ['2nd Visit', undefined],
    ['日付', undefined],
    ['x'.repeat(70), undefined],
  ])('offers for the name %j one that is allowed: %j', (given, suggestion) => {
    const issue = issueOf({ internalName: given })
    expect(issue?.message).toMatch(
      /^".*" is not allowed\. Starts with a letter, then letters, digits and underscores, at most 64 in all\.$/,
    )
    expect(issue?.suggestion).toBe(suggestion)
  })
})

describe('the nearest name', () => {
  it.each([
    ['emial', ['email', 'phone'], 'email'],
    ['name', ['internalName', 'categoryId', 'displays'], 'internalName'],
    ['type', ['dataType', 'allowedFileTypes'], 'dataType'],
    ['options', ['propertyOptions', 'regEx'], 'propertyOptions'],
    ['Order', ['Site', 'WorkOrder'], 'WorkOrder'],
    ['id', ['verticalId', 'entityId'], undefined],
    ['workorders', ['WorkOrder', 'Site'], 'WorkOrder'],
    ['zzz', ['email', 'phone'], undefined],
  ])('to %j among %j is %j', (name, known, wanted) => {
    expect(nearest(name, known)).toBe(wanted)
  })
})

describe('the nearest name', () => {
  it('looks for none where a name is longer than any of ours, and at no candidate that is', () => {
    const long = 'x'.repeat(400_000)
    expect(nearest(long, [long])).toBeUndefined()
    expect(nearest('Colour', [`Colour${long}`, 'Color'])).toBe('Color')
  })

  it('ends for very many names that come at once, and begins again for the next caller', async () => {
    const candidates = Array.from({ length: 5_000 }, (_, index) => `SomePropertyNumber${index}`)
    const all = Array.from({ length: 2_000 }, (_, index) => nearest(`SomePropertyNumbr${index}`, candidates))
    expect(all[0]).toBe('SomePropertyNumber0')
    expect(all.filter((found) => found === undefined).length).toBeGreaterThan(1_900)
    await new Promise((resolve) => setImmediate(resolve))
    expect(nearest('SomePropertyNumbr7', candidates)).toBe('SomePropertyNumber7')
  })
})

describe('a quoted value', () => {
  it('is cut while it is written, however large it is', () => {
    let parts = 0
    const row = () => ({
      get name() {
        parts++
        return 'a name'
      },
    })
    expect(quoted(Array.from({ length: 1_000 }, row), 40)).toBe('[{"name":"a name"},{"name":"a name"},{"n…')
    expect(parts).toBeLessThan(10)
    expect(quoted({ a: [1, null, 'x'], b: {}, c: [] })).toBe('{"a":[1,null,"x"],"b":{},"c":[]}')
  })
})
