import { runAs } from '#platform/acting.ts'
import { AppError } from '#platform/errors.ts'
import { isObject, listIn, type Said, textIn } from '#tools/workflows/service.ts'

import type { Perform, StepContext } from './step.types.ts'

/** A property may hold several files. */
const mostFiles = 10
const mostLabels = 20

async function look({ services, who, signal }: StepContext, operation: string, input: object): Promise<Said> {
  const answer = await runAs(services, who, operation, input, { signal })
  if (!isObject(answer)) return {}
  // What cannot be read at all says why; of what holds nothing, nothing is found.
  if (answer['state'] === 'failed')
    throw new AppError('unprocessable', `The file cannot be read: ${textIn(answer['reason']) ?? 'nobody knows why.'}`)
  return answer
}

const scoreOf = (label: unknown) => (isObject(label) && typeof label['score'] === 'number' ? label['score'] : 0)

/** Reads the text unless labels alone are asked for. Nothing of it changes anything, so that it may be tried again. */
export const recognise: Perform = async (step) => {
  const { asset, classify = false, ocr = classify !== true, languages } = step.config
  const keys = [asset].flat().filter((key) => typeof key === 'string' && key !== '')
  if (keys.length === 0) throw new AppError('unprocessable', 'There is no file to look at.')
  if (keys.length > mostFiles) throw new AppError('too_large', `At most ${mostFiles} files are looked at in one step. Use forEach.`)
  const texts: string[] = []
  const labels: unknown[] = []
  for (const assetKey of keys) {
    if (ocr === true) {
      const { ocr: found } = await look(step, 'recognize_text', { assetKey, ...(languages === undefined ? {} : { languages }) })
      if (isObject(found)) texts.push(textIn(found['text']) ?? '')
    }
    if (classify === true) labels.push(...listIn((await look(step, 'classify_image', { assetKey }))['labels']))
  }
  const likeliest = labels.toSorted((a, b) => scoreOf(b) - scoreOf(a)).slice(0, mostLabels)
  return { kind: 'done', result: { text: texts.join('\n\n'), labels: likeliest } }
}
