/** A form as a browser posted it: its texts, and its files kept one by one as they come. */
import { Readable } from 'node:stream'

import { AppError } from '#platform/errors.ts'
import type { Upload } from '#platform/operation.ts'
import type { FormPart } from '#platform/web-page.ts'
import type { ShownField, ShownForm } from '#tools/forms/links/shown-form.schema.ts'

import type { Problem } from './answers.rules.ts'
import { knownZone } from './local-time.rules.ts'
import { controlName, type Named, readControlName } from './names.rules.ts'

export interface Posted {
  readonly entered: Map<string, string[]>
  readonly problems: Problem[]
  readonly submissionKey: string
  /** Undefined: the page does not say. */
  readonly zone: string | undefined
  /** `send`, or `add:` and the section that is to have one row more. */
  readonly wish: string
  /** Of a task: the action that was chosen, and what was said to it. */
  readonly act: string
  readonly comment: string
  /** What the page had shown, as it brought it along. */
  readonly was: readonly string[]
}

/** Keeps a file for the property and answers its key. */
export type Keep = (property: string, upload: Upload) => Promise<string>

/** As many as a link keeps. */
const mostFiles = 50

const keyPattern = /^[\w-]{8,100}$/

const fieldKey = (section: string | undefined, property: string | undefined) => `${section ?? ''}:${property ?? ''}`

/** The fields that may be answered, by where they stand. */
function fieldsIn({ sections }: ShownForm): ReadonlyMap<string, ShownField> {
  const fields = sections.flatMap(({ type, name, fields: some }) =>
    some
      .filter(({ isReadOnly }) => !isReadOnly)
      .map((field) => [fieldKey(type === 'list' ? name : undefined, field.property), field] as const),
  )
  // The first of two counts.
  return new Map(fields.toReversed())
}

/** The key of the answer, which stands first in the form; undefined where it does not. For a link whose form cannot be read any more. */
export async function readKeyAlone(parts: AsyncIterable<FormPart>): Promise<string | undefined> {
  for await (const part of parts) {
    if (part.kind === 'file') return undefined
    if (part.name === 'k') return keyPattern.test(part.value) ? part.value : undefined
  }
  return undefined
}

/** Reads it whole. A file that is refused is a problem of its field; whatever else goes wrong throws AppError. */
export async function readPosted(form: ShownForm, parts: AsyncIterable<FormPart>, keep: Keep): Promise<Posted> {
  const entered = new Map<string, string[]>()
  const problems: Problem[] = []
  const fields = fieldsIn(form)
  const fieldNamed = ({ section, property }: Named) => fields.get(fieldKey(section, property))
  let taken = 0
  let [submissionKey, zone, wish, act, comment] = ['', '', 'send', '', '']
  const was: string[] = []
  const add = (name: string, text: string) => {
    const texts = entered.get(name)
    // Thousands may come under one name.
    if (texts) texts.push(text)
    else entered.set(name, [text])
  }

  async function take(named: Named, field: ShownField, upload: Upload): Promise<void> {
    const { section, row, property } = named
    if (property === undefined) return
    // Signatures that were typed are files too.
    if (++taken > mostFiles) throw new AppError('too_large', `An answer brings at most ${mostFiles} files. Leave some out.`)
    const key = controlName('a', { section, row }, property)
    try {
      const assetKey = await keep(property, upload)
      // A new file takes the place of the one that was there, where there is room for one.
      entered.set(key, [...(field.isList ? (entered.get(key) ?? []) : []), assetKey])
    } catch (error) {
      const isOfFile = error instanceof AppError && error.status < 500 && ![403, 404, 410, 429].includes(error.status)
      if (!isOfFile) throw error
      problems.push({ place: { section, row }, property, kind: 'other', message: error.message })
    }
  }

  for await (const part of parts) {
    if (part.kind === 'field') {
      if (part.name === 'k' && keyPattern.test(part.value)) submissionKey = part.value
      else if (part.name === 'zone') zone = part.value
      else if (part.name === 'do') wish = part.value
      else if (part.name === 'act') act = part.value
      else if (part.name === 'comment') comment = part.value
      else if (part.name === 'was') was.push(part.value)
      else if (readControlName(part.name)) add(part.name, part.value)
      continue
    }
    const named = readControlName(part.name)
    const field = named && fieldNamed(named)
    // A control without a file is sent as an empty one.
    if (!named || !field || part.fileName === '') {
      part.stream.resume()
      // A file for what is asked no more: its name is all that can be told of it.
      if (named?.part === 'f' && part.fileName !== '') add(part.name, part.fileName)
      continue
    }
    const { stream, fileName, mimeType, isTruncated } = part
    await take(named, field, { stream, fileName, mimeType, isTruncated })
  }
  for (const [name, [typed = '']] of entered) {
    const named = readControlName(name)
    const field = named?.part === 'n' ? fieldNamed(named) : undefined
    if (!named || !field || typed.trim() === '') continue
    entered.delete(controlName('a', named, named.property))
    await take(named, field, typedSignature(typed.trim()))
  }
  const [, pressed = act] = /^act:(.*)$/s.exec(wish) ?? []
  return { entered, problems, submissionKey, zone: knownZone(zone), wish, act: pressed, comment, was }
}

/** A name that somebody typed as their signature, as a picture that needs no fonts of ours. */
function typedSignature(name: string): Upload {
  const text = name
    .slice(0, 200)
    .replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
    // XML has no such characters.
    // oxlint-disable-next-line no-control-regex -- these are what is taken out.
    .replace(/[\u0000-\u001f\u007f]/g, ' ')
  const size = Math.max(16, Math.min(64, Math.floor(1_000 / Math.max(1, name.length))))
  const svg = `<?xml version="1.0" encoding="UTF-8"?>
<svg xmlns="http://www.w3.org/2000/svg" width="640" height="220" viewBox="0 0 640 220"><rect width="640" height="220" fill="#ffffff"/><text x="320" y="120" text-anchor="middle" font-family="cursive" font-style="italic" font-size="${size}" fill="#101010">${text}</text></svg>
`
  return { stream: Readable.from([Buffer.from(svg)]), fileName: 'signature.svg', mimeType: 'image/svg+xml', isTruncated: () => false }
}
