import { z } from 'zod'

import { AppError } from '#platform/errors.ts'
import { finding } from '#platform/findings.ts'
import { defineStagedOperation, reads } from '#platform/operation.ts'
import { nearest, quoted } from '#platform/suggest.ts'

import { pagePath, pageSection } from './docs.schema.ts'
import type { Page, Section } from './markdown.rules.ts'
import { corpus } from './service.ts'

export const docsRead = defineStagedOperation({
  ...reads(z.object({ path: z.string(), title: z.string(), markdown: z.string(), sections: z.array(pageSection) })),
  name: 'docs_read',
  title: 'Read a page of the documentation',
  description:
    'One page as Markdown, or one section of it with what stands under it. Take path and section from docs_search or docs_index; sections lists the anchors of the page. A reference page has a section for each tool, named like the tool.',
  method: 'POST',
  path: '/api/v1/docs/read',
  roles: 'any',
  input: z.object({
    path: pagePath,
    section: z.string().min(1).max(200).optional().describe('An anchor of the page, or the heading itself'),
  }),
  examples: [
    {
      title: 'One section',
      input: { path: 'guides/errors-and-retries.md', section: 'rate-limits' },
      output: {
        path: 'guides/errors-and-retries.md',
        title: 'Errors and retries',
        markdown: '## Rate limits\n\nEach key may make 6,000 calls a minute.',
        sections: [
          { anchor: 'errors-and-retries', title: 'Errors and retries', level: 1 },
          { anchor: 'rate-limits', title: 'Rate limits', level: 2 },
        ],
      },
    },
  ],
  stagedHandler: (_context, input) => {
    const page = pageAt(input.path)
    const { path, title, markdown } = page
    const sections = page.sections.map(({ anchor, title, level }) => ({ anchor, title, level }))
    return Promise.resolve({
      path,
      title,
      markdown: input.section === undefined ? markdown : sectionAt(page, input.section).whole,
      sections,
    })
  },
})

function absent(field: 'path' | 'section', sentence: string, message: string, suggestion: string | undefined): AppError {
  return new AppError('not_found', sentence, { issues: [finding(`$.${field}`, message, { suggestion })] })
}

function pageAt(path: string): Page {
  const page = corpus.page(path)
  if (page) return page
  const known = corpus.pages().map((one) => one.path)
  const file = (one: string) => one.split('/').at(-1) ?? one
  const suggestion = nearest(path, known) ?? known.find((one) => file(one).replace('.md', '') === file(path).replace('.md', ''))
  throw absent('path', 'No such page. docs_index lists them.', `There is no page ${quoted(path)}.`, suggestion)
}

function sectionAt(page: Page, wanted: string): Section {
  const name = wanted.replace(/^#+ */, '').toLowerCase()
  const section = page.sections.find(({ anchor, title }) => anchor === name || title.toLowerCase() === name)
  if (section) return section
  const suggestion = nearest(
    name,
    page.sections.map(({ anchor }) => anchor),
  )
  throw absent(
    'section',
    `No such section in ${page.path}. Its sections are listed by docs_read without section.`,
    `There is no section ${quoted(wanted)}.`,
    suggestion,
  )
}
