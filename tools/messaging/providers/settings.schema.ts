/** Settings and secrets that several providers take. */
import { z } from 'zod'

/** Of every provider: how many of a message to many go out a second. */
export const messagesPerSecond = z.number().min(0.01).max(1_000).optional()

export const helpText = z.string().min(1).max(300).optional()

/** Where calls go. The form of the text first: what reads addresses drops line breaks from them without a word. */
export const apiBaseUrl = z
  .string()
  .max(500)
  .regex(/^[^@?#\s\\\p{Cc}]*$/u, 'An address without a user, a query, a fragment or white space')
  .pipe(z.url({ protocol: /^https?$/ }))
  .optional()

export const webhookSecret = z
  .string()
  .regex(/^(whsec_)?[A-Za-z0-9+/]{32,}={0,2}$/, 'whsec_ and base64, as Standard Webhooks has it')
  .optional()
