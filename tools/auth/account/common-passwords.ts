/** The ten thousand passwords that are tried first. */
import { dictionary } from '@zxcvbn-ts/language-common'

// The list is in the order of how common they are, and without capitals.
const common = new Set(dictionary['passwords-common'].slice(0, 10_000))

/** Without regard to case: whoever tries one tries the others. */
export function isCommon(password: string): boolean {
  return common.has(password) || common.has(password.toLowerCase())
}
