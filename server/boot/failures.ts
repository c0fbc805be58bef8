/** What a caught value says, without assuming that it is an Error. */

/** The system's name of the failure, such as ENOENT. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** What keeps a database from being used at all: nobody there, no such user or password, no such database. */
const unusable = /^(?:ECONN|ENOTFOUND|EAI_|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|CONNECT|28\d|3D000)/

/** The failure of a start on the database that `url` names, as a sentence with the setting where the address is the reason; else the failure itself. */
export function databaseTrouble(error: unknown, url: string): unknown {
  if (!unusable.test(codeOf(error) ?? '')) return error
  const { host, pathname } = URL.canParse(url) ? new URL(url) : { host: '', pathname: '' }
  const which = host === '' ? 'that DATABASE_URL names' : `${host}${pathname}`
  return new Error(`The database ${which} cannot be used: ${messageOf(error)}. Start it, or correct DATABASE_URL.`, { cause: error })
}
