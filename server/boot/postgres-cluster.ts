/** PostgreSQL's data directory: made whole or not at all, with its settings, roles and database. */
import { spawn } from 'node:child_process'
import { createHash, randomBytes } from 'node:crypto'
import {
  appendFileSync,
  chownSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'

import type { Logger } from '#platform/log.ts'

import { keepOnce, syncDirectory } from './data-dir.ts'
import type { PostgresBinaries, RunAs } from './postgres-binaries.ts'
import { findProcesses, isTaken, sendSignal, stopProcess, until, type StopSteps } from './processes.ts'

export const ownerRole = 'fieldloop_owner'
export const databaseName = 'fieldloop'

/** Fast shutdown, which ends transactions; then immediate, after which the next start recovers; then what cannot be refused. */
export const postgresStopSteps: StopSteps = [
  ['SIGINT', 20_000],
  ['SIGQUIT', 5_000],
  ['SIGKILL', 5_000],
]

const majorVersion = '18'
const programLimitMs = 120_000

/**
 * Written anew at each start, so that a newer release's settings reach an old directory. What an operator sets by ALTER SYSTEM wins.
 * Error reports are terse because their details quote tenants' values, which do not belong into a log.
 */
const settings = `# Rewritten at each start. Use ALTER SYSTEM for settings of your own.
listen_addresses = '127.0.0.1'
unix_socket_directories = ''
max_connections = 100
shared_buffers = 256MB
max_locks_per_transaction = 256
random_page_cost = 1.1
jit = off
timezone = 'UTC'
log_timezone = 'UTC'
log_line_prefix = '%m [%p] '
log_error_verbosity = terse
log_checkpoints = off
# Not the errors of statements: those that matter are in our own log, and a name that is taken is none.
log_min_messages = log
`

const access = `# Rewritten at each start.
host all all 127.0.0.1/32 scram-sha-256
`

interface Cluster {
  /** Absolute path of the data, DATA_DIR/postgres. */
  readonly path: string
  readonly binaries: PostgresBinaries
  /** Undefined when PostgreSQL runs as we do. */
  readonly user: RunAs | undefined
  /** Stands on the command line of every process of this cluster, by which an orphan is found. */
  readonly name: string
  readonly passwords: Passwords
}

/** How one of PostgreSQL's programs is started on the cluster: where, with which path to the data, as whom, with which environment. */
export function onCluster(cluster: Pick<Cluster, 'path' | 'user'>, path = cluster.path) {
  return {
    // Another user cannot walk to a directory below root's home or DATA_DIR, but a process that is born inside one needs no walk.
    dataArgument: cluster.user ? '/proc/self/cwd' : path,
    cwd: path,
    user: cluster.user,
    // Nothing of our own environment: it holds secrets, and another user's process would show them.
    env: { PATH: process.env['PATH'] ?? '/usr/bin:/bin', LC_ALL: 'C', TZ: 'UTC' },
  }
}

/** Makes the cluster when there is none, and prepares it for a start. Throws a sentence when the data is of another version. */
export async function openCluster(o: {
  dataDir: string
  path: string
  binaries: PostgresBinaries
  user: RunAs | undefined
  log: Logger
  isDurable: boolean
}) {
  const { path, binaries, user, log } = o
  const credentialsFile = join(o.dataDir, 'postgres-credentials.json')
  const knowsPasswords = existsSync(credentialsFile)
  const passwords = readPasswords(credentialsFile)
  const cluster: Cluster = { path, binaries, user, name: clusterName(o.dataDir), passwords }
  const version = existsSync(path) ? readVersion(path) : undefined
  if (version !== undefined && version !== majorVersion) {
    throw new Error(
      `${path} holds data of PostgreSQL ${version}, this is PostgreSQL ${majorVersion}. Dump it with ${version} and restore it here.`,
    )
  }
  if (version === undefined) {
    log.info({ path }, 'making the database: a few seconds, done once')
    await createCluster(cluster, o.isDurable)
  } else {
    await stopOrphans(cluster, log)
    if (!knowsPasswords) await runSql(cluster, path, passwordStatements(passwords))
  }
  writeSettings(cluster, path)
  return cluster
}

/** The settings and access rules of the present release. */
function writeSettings({ user }: Pick<Cluster, 'user'>, path: string): void {
  for (const [file, text] of [
    [join(path, 'fieldloop.conf'), settings],
    [join(path, 'pg_hba.conf'), access],
  ] as const) {
    writeFileSync(file, text, { mode: 0o600 })
    if (user) chownSync(file, user.uid, user.gid)
  }
}

/**
 * Ends what an earlier life left running on the data, and removes a pid file whose number now belongs to somebody else, or to a dead
 * postmaster that nobody reaped: PostgreSQL would take that process for itself and refuse to start.
 */
export async function stopOrphans(cluster: Cluster, log: Logger): Promise<void> {
  const pidFile = join(cluster.path, 'postmaster.pid')
  const left = () => findProcesses((command) => /(^|\/)postgres[: ]/.test(command) && command.includes(cluster.name))
  const recorded = existsSync(pidFile) ? Number(readFileSync(pidFile, 'utf8').split('\n')[0]) : 0
  const orphans = left()
  if (orphans.includes(recorded)) {
    log.info({ pid: recorded }, 'stopping the PostgreSQL that an earlier start left behind')
    await stopProcess(recorded, postgresStopSteps)
  }
  // Backends end by themselves once their postmaster is gone.
  if (!(await until(() => left().length === 0, 5_000))) {
    for (const pid of left()) sendSignal(pid, 'SIGKILL')
    await until(() => left().length === 0, 5_000)
  }
  if (recorded > 0 && isTaken(recorded)) rmSync(pidFile, { force: true })
}

/** Everything happens beside the final place, so that a start that is killed in the middle leaves nothing half made. */
async function createCluster(cluster: Cluster, isDurable: boolean): Promise<void> {
  const parent = dirname(cluster.path)
  const draftName = `${basename(cluster.path)}.new-`
  for (const name of readdirSync(parent).filter((entry) => entry.startsWith(draftName))) {
    rmSync(join(parent, name), { recursive: true, force: true, maxRetries: 5 })
  }
  const draft = mkdtempSync(join(parent, draftName))
  if (cluster.user) chownSync(draft, cluster.user.uid, cluster.user.gid)
  const { dataArgument } = onCluster(cluster, draft)
  await runProgram(cluster, draft, cluster.binaries.initdb, [
    `--pgdata=${dataArgument}`,
    '--username=postgres',
    // Nobody can connect until the passwords are set and pg_hba.conf is ours.
    '--auth=reject',
    '--encoding=UTF8',
    '--locale=C',
    '--locale-provider=builtin',
    '--builtin-locale=C.UTF-8',
    '--no-instructions',
    ...(isDurable ? [] : ['--no-sync']),
  ])
  appendFileSync(join(draft, 'postgresql.conf'), "\ninclude 'fieldloop.conf'\n")
  writeSettings(cluster, draft)
  await runSql(cluster, draft, [
    // The owner makes roles and schemas but is no superuser: nothing of the product ever runs as one.
    `create role ${ownerRole} login createrole`,
    ...passwordStatements(cluster.passwords),
    `create database ${databaseName} owner ${ownerRole}`,
  ])
  renameSync(draft, cluster.path)
  syncDirectory(parent)
}

function readVersion(path: string): string {
  const file = join(path, 'PG_VERSION')
  if (!existsSync(file)) throw new Error(`${path} is there but holds no data of PostgreSQL. Move it away, or set another DATA_DIR.`)
  return readFileSync(file, 'utf8').trim()
}

interface Passwords {
  readonly superuser: string
  readonly owner: string
}

function readPasswords(file: string): Passwords {
  const make = () => JSON.stringify({ superuser: randomBytes(24).toString('base64url'), owner: randomBytes(24).toString('base64url') })
  const kept: Partial<Passwords> = JSON.parse(keepOnce(file, make))
  if (!/^[\w-]{16,}$/.test(kept.superuser ?? '') || !/^[\w-]{16,}$/.test(kept.owner ?? '')) {
    throw new Error(`${file} does not hold the two passwords of the database. Delete it: new ones are then made.`)
  }
  return { superuser: kept.superuser ?? '', owner: kept.owner ?? '' }
}

function passwordStatements({ superuser, owner }: Passwords): string[] {
  return [`alter role postgres password '${superuser}'`, `alter role ${ownerRole} password '${owner}'`]
}

function clusterName(dataDir: string): string {
  return `fieldloop-${createHash('sha256').update(realpathSync(dataDir)).digest('hex').slice(0, 16)}`
}

/** Statements in single-user mode, which needs no connection, so that no password is ever set over a network. */
function runSql(cluster: Cluster, path: string, statements: readonly string[]): Promise<void> {
  const { dataArgument } = onCluster(cluster, path)
  const args = ['--single', '-D', dataArgument, '-c', 'exit_on_error=true', '-c', 'log_min_messages=error', 'postgres']
  return runProgram(cluster, path, cluster.binaries.postgres, args, statements.map((statement) => `${statement};\n`).join(''))
}

function runProgram(cluster: Cluster, path: string, program: string, args: readonly string[], input = ''): Promise<void> {
  const { cwd, env, user } = onCluster(cluster, path)
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd,
      env,
      ...user,
      stdio: ['pipe', 'pipe', 'pipe'],
      timeout: programLimitMs,
      killSignal: 'SIGKILL',
    })
    let output = ''
    const keep = (chunk: Buffer) => (output = (output + chunk.toString('utf8')).slice(-4000))
    child.stdout.on('data', keep)
    child.stderr.on('data', keep)
    child.once('error', (error) => reject(new Error(`${program} cannot be started: ${error.message}`, { cause: error })))
    child.once('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`${program} ended with ${signal ?? `code ${code}`}. Its output ends:\n${output.trim()}`))
    })
    // A program that ends early closes its input; its exit code tells why.
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
  })
}
