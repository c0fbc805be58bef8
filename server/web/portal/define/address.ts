/** Where kinds of records are defined. */
import { roomAddress } from '../page.ts'

export const kindAddress = (entity: string) => roomAddress(`define/${encodeURIComponent(entity)}`)
