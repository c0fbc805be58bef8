/** What a database error means to a caller, by its SQLSTATE. */
import type { ErrorCode } from './errors.ts'

/** Code, sentence and the seconds to wait; undefined for a state that no caller can bring about: a mistake of ours. */
export function databaseError(state: string | undefined): readonly [ErrorCode, string, number?] | undefined {
  switch (state) {
    case '23505':
      return ['already_exists', 'Something with this name or key already exists.']
    case '23503':
      return ['conflict', 'Something else still refers to it, or what it refers to is gone.']
    case '40001':
    case '40P01':
    case '0A000':
    case '42703':
    case '42P01':
      return ['conflict', 'Something else changed at the same moment. Read again and repeat the call.']
    case '55P03':
      return ['unavailable', 'Something else holds a lock for longer than we wait. Try again.', 1]
    case '57014':
    case '25P04':
      return ['timeout', 'The database took longer than a call may. Narrow the call and try again.', 1]
    // The server that we reach has become a replica.
    case '25006':
      return ['unavailable', 'The database takes no writes at the moment. Try again.', 5]
    case '53100':
    case '53200':
    case '53300':
      return ['unavailable', 'The database is out of room or connections. Try again later.', 10]
    case '22021':
    case '22P05':
      return ['invalid_input', 'A text holds a character that cannot be kept (NUL or half of a surrogate pair).']
    // Schemas refuse what is too large; these are what a schema has let through.
    case '22001':
    case '22003':
    case '22008':
    case '54000':
      return ['invalid_input', 'A value is larger or longer than can be kept.']
    default:
      return undefined
  }
}
