/** A step of the walk that the Postman collection takes through every operation: a call that works where the steps before it have run. */
export interface Step {
  readonly operation: string
  /** Where the operation is called once more, what for. */
  readonly title?: string
  /**
   * Texts may hold `{{variables}}` that earlier steps kept; one of the form `{{#name}}` stands for the bare value, a number or a list. `{{run}}` is
   * another word in each run, so that nothing of an earlier one is in the way.
   */
  readonly input?: Readonly<Record<string, unknown>>
  /** Variables to keep of the answer: by name an expression over `answer`. */
  readonly keeps?: Readonly<Record<string, string>>
  /** Lines of script before the call. */
  readonly before?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
  /** The body as it goes over the wire, in place of the input's. */
  readonly body?: string
}

/** A form with one file, written out, so that the collection needs no file of whoever runs it. */
export function fileForm(fileName: string, text: string, fields: Readonly<Record<string, string>> = {}): Pick<Step, 'headers' | 'body'> {
  const part = (disposition: string, content: string) => `--walk\r\nContent-Disposition: form-data; ${disposition}\r\n\r\n${content}\r\n`
  const named = Object.entries(fields).map(([name, value]) => part(`name="${name}"`, value))
  return {
    headers: { 'Content-Type': 'multipart/form-data; boundary=walk' },
    body: `${named.join('')}${part(`name="file"; filename="${fileName}"`, text)}--walk--\r\n`,
  }
}
