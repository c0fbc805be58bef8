/**
 * How often the searches find what was meant: `npm run bench:search -- tools=<file.tsv> docs=<file.tsv>`, the questions of the suite unless told. A
 * line of a file is a question, a tab, the right answers with | between them (names of tools, paths of pages), a tab, the language. `words` leaves the
 * sentence model out, `missed` prints what was not found.
 */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'

import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { type Finder, measure, pageFinder, type Question, readQuestions, toolFinder, withoutModels } from '#test/support/questions.ts'

const fixtures = join(import.meta.dirname, '..', 'test', 'fixtures')
const given = (name: string) => process.argv.find((argument) => argument.startsWith(`${name}=`))?.slice(name.length + 1)
const has = (name: string) => process.argv.includes(name)

const share = (part: number, whole: number) => `${part} of ${whole} (${Math.round((part / (whole || 1)) * 1000) / 10} %)`

async function report(name: string, finder: Finder, questions: readonly Question[]): Promise<void> {
  const byMeaning = await finder.prepare()
  console.log(`\n${name}, ${byMeaning ? 'by meaning and words' : 'by words alone'}`)
  const languages = [...new Set(questions.map(({ language }) => language))]
  for (const language of ['all', ...languages]) {
    const { asked, first, withinThree, missed } = await measure(
      finder,
      questions.filter((question) => language === 'all' || question.language === language),
    )
    console.log(`${language.padEnd(4)} first ${share(first, asked).padEnd(24)} within three ${share(withinThree, asked)}`)
    if (language === 'all' && has('missed')) for (const line of missed) console.log(`     ${line}`)
  }
  await finder.end()
}

// The thread that computes does not keep the process alive.
const alive = setInterval(() => undefined, 60_000)
const empty = has('words') ? await withoutModels() : undefined
const cacheDir = empty ?? loadConfig().cacheDir
const log = createLog('silent')
await report('tools', toolFinder(cacheDir, log), await readQuestions(given('tools') ?? join(fixtures, 'tool-questions.tsv')))
await report('docs', pageFinder(cacheDir, log), await readQuestions(given('docs') ?? join(fixtures, 'docs-questions.tsv')))
if (empty !== undefined) await rm(empty, { recursive: true, force: true })
clearInterval(alive)
