/** Forms of these pages that were posted: what each does, what is shown where it is none of ours or was refused, and what stands in their fields. */
import { AppError } from '#platform/errors.ts'

import type { PortalAnswer, PortalRoute, Visit } from '../portal.types.ts'
import { type Frame, type FrameParts, frameOf, isOwnForm } from './frame.ts'
import { type Told, toldOf } from './problems.ts'

export interface Posted {
  readonly visit: Visit
  readonly fields: URLSearchParams
  readonly frame: Frame
}

/** The route of a form. `refusedText` says what a 401 means there, `again` shows the page with what was refused. */
export function formRoute(
  parts: FrameParts,
  path: string,
  {
    refusedText,
    take,
    again,
  }: {
    readonly refusedText: (frame: Frame) => string
    readonly take: (posted: Posted) => Promise<PortalAnswer>
    readonly again: (posted: Posted, told: Pick<Told, 'status' | 'problem'>) => PortalAnswer | Promise<PortalAnswer>
  },
): PortalRoute {
  return {
    method: 'POST',
    path,
    async answer(visit) {
      const fields = await visit.form()
      const frame = frameOf(visit, parts)
      const posted = { visit, fields, frame }
      if (!isOwnForm(visit, fields, parts)) return again(posted, { status: 403, problem: frame.texts.stale })
      try {
        return await take(posted)
      } catch (error) {
        const told = toldOf(error, frame.texts, refusedText(frame))
        if (!told) throw error
        const { retryAfterSeconds, status, problem } = told
        const answer = await again(posted, { status, problem })
        if (retryAfterSeconds === undefined) return answer
        return { ...answer, headers: { ...answer.headers, 'retry-after': String(Math.ceil(retryAfterSeconds)) } }
      }
    },
  }
}

/** What the browser made of a passkey; the operation looks at it. */
export function credentialIn(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new AppError('unauthenticated', 'This is nothing that a browser made of a passkey.')
  }
}

/** Zero for what is none. */
export const wholeNumber = (text: string | null) => (text !== null && /^\d{1,9}$/.test(text) ? Number(text) : 0)
