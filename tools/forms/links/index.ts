/** The operations on signed links, in reading order. */
import type { Operation } from '#platform/operation.ts'

import { createSignedLink } from './create-signed-link.ts'
import { listSignedLinks } from './list-signed-links.ts'
import { openSignedLink } from './open-signed-link.ts'
import { putSignedLinkUpload } from './put-signed-link-upload.ts'
import { revokeSignedLink } from './revoke-signed-link.ts'
import { submitSignedLink } from './submit-signed-link.ts'
import type { TaskFloor } from './tasks.types.ts'

export const linkOperations = (tasks: TaskFloor): readonly Operation[] => [
  createSignedLink(tasks),
  openSignedLink(tasks),
  submitSignedLink(tasks),
  listSignedLinks,
  revokeSignedLink,
  putSignedLinkUpload,
]
