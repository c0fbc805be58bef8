/** The documentation on the wire. */
import { z } from 'zod'

import { component } from '#platform/document-schema.ts'

export const pagePath = z.string().min(1).max(300).describe('Of a page, as docs_index and docs_search answer it: guides/records.md')

export const pageEntry = z.object({ path: z.string(), title: z.string(), summary: z.string() })

export const pageSection = z.object({
  anchor: z.string().describe('For section of docs_read'),
  title: z.string(),
  level: z.int().describe('1 for the title of the page, 2 and more for what stands under it'),
})

export const searchHit = z.object({
  path: z.string(),
  title: z.string(),
  anchor: z.string().describe('For section of docs_read'),
  excerpt: z.string(),
  score: z.number().describe('Higher is better; comparable within one answer'),
})

component('PageEntry', pageEntry)
component('SearchHit', searchHit)
