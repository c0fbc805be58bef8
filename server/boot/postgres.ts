/** The embedded PostgreSQL: one cluster under DATA_DIR, on loopback, kept alive until stopped. */
import { connect } from 'node:net'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'

import type { Logger } from '#platform/log.ts'

import { makeDataDir } from './data-dir.ts'
import { postgresBinaries, postgresUser } from './postgres-binaries.ts'
import { databaseName, onCluster, openCluster, ownerRole, postgresStopSteps, stopOrphans } from './postgres-cluster.ts'
import { rememberedPort } from './ports.ts'
import { spawnLogged, supervise } from './supervise.ts'

/** Silence for so long is a failure; recovery after a crash answers, and may take longer. */
const silenceLimitMs = 60_000
const recoveryLimitMs = 600_000

/** Commits still reach the kernel before they are acknowledged, so that a killed process loses none. */
const withoutSync = ['-c', 'fsync=off', '-c', 'full_page_writes=off']

export interface EmbeddedPostgres {
  /** As the schema's owner, who is no superuser but may make roles, schemas and extensions that are trusted. */
  readonly url: string
  /** The same: nothing stands between. */
  readonly directUrl: string
  /** As the superuser, on the database `postgres`: for operators and tests, never for the product. */
  readonly superuserUrl: string
  readonly port: number
  /** The postmaster that runs now; another one after a crash. */
  readonly pid: number | undefined
  /** Fast shutdown, at most 30 s. */
  stop(): Promise<void>
}

/**
 * Starts PostgreSQL on DATA_DIR/postgres, made at the first start, and starts it again when it dies. Resolves when it accepts
 * connections; rejects with a sentence and the end of its log. The caller holds the lock on DATA_DIR. `port` is one to insist on,
 * else the last start's or a free one. `isDurable: false` gives up what a power cut would take, for the speed of tests.
 */
export async function startEmbeddedPostgres(o: {
  dataDir: string
  log: Logger
  port?: number
  isDurable?: boolean
}): Promise<EmbeddedPostgres> {
  makeDataDir(o.dataDir)
  const path = join(o.dataDir, 'postgres')
  const logPath = join(o.dataDir, 'postgres.log')
  const user = postgresUser(path)
  const isDurable = o.isDurable ?? true
  const cluster = await openCluster({ dataDir: o.dataDir, path, binaries: postgresBinaries(user), user, log: o.log, isDurable })
  const { dataArgument, cwd, env } = onCluster(cluster)
  let port = 0
  let fixed = o.port !== undefined
  const child = supervise({
    name: 'PostgreSQL',
    log: o.log,
    logPath,
    firstAttempts: 3,
    stopSteps: postgresStopSteps,
    async launch() {
      await stopOrphans(cluster, o.log)
      // Clients know the port once it has served, so a restart keeps it.
      if (!fixed) port = await rememberedPort(join(o.dataDir, 'postgres.port'))
      else port ||= o.port ?? 0
      const args = ['-D', dataArgument, '-c', `cluster_name=${cluster.name}`, '-p', String(port), ...(isDurable ? [] : withoutSync)]
      return spawnLogged({ command: cluster.binaries.postgres, args, cwd, env, user, logPath, stopSignal: 'SIGINT' })
    },
    async serves(signal) {
      await untilAccepting(() => port, signal, o.log)
      fixed = true
    },
  })
  await child.ready
  o.log.info({ port, pid: child.pid }, 'PostgreSQL is up')
  const { passwords } = cluster
  const url = `postgres://${ownerRole}:${passwords.owner}@127.0.0.1:${port}/${databaseName}`
  return {
    url,
    directUrl: url,
    superuserUrl: `postgres://postgres:${passwords.superuser}@127.0.0.1:${port}/postgres`,
    port,
    get pid() {
      return child.pid
    },
    stop: () => child.stop(),
  }
}

async function untilAccepting(port: () => number, signal: AbortSignal, log: Logger): Promise<void> {
  const start = performance.now()
  let toldAt = start
  while (!signal.aborted) {
    const answer = await knock(port())
    if (answer === 'accepting') return
    const waited = performance.now() - start
    if (waited > (answer === 'starting' ? recoveryLimitMs : silenceLimitMs)) {
      throw new Error(`did not accept connections within ${Math.round(waited / 1000)} s`)
    }
    if (answer === 'starting' && performance.now() - toldAt > 10_000) {
      toldAt = performance.now()
      log.info({ seconds: Math.round(waited / 1000) }, 'PostgreSQL is recovering from a crash')
    }
    await delay(waited < 1000 ? 25 : 250)
  }
}

/**
 * What PostgreSQL answers to the first packet of a connection: a request for a password means that it accepts them, an error that it
 * is still starting. The packet is its length, protocol 3.0, and the names of user and database.
 */
function knock(port: number): Promise<'accepting' | 'starting' | 'silent'> {
  const names = Buffer.from(`user\0${ownerRole}\0database\0${databaseName}\0\0`)
  const packet = Buffer.alloc(8 + names.length)
  packet.writeInt32BE(packet.length, 0)
  packet.writeInt32BE(3 << 16, 4)
  names.copy(packet, 8)
  return new Promise((resolve) => {
    const socket = connect({ host: '127.0.0.1', port })
    const answer = (what: 'accepting' | 'starting' | 'silent') => {
      socket.destroy()
      resolve(what)
    }
    socket.setTimeout(2000, () => answer('silent'))
    socket.once('error', () => answer('silent'))
    socket.once('close', () => answer('silent'))
    socket.once('data', (chunk) => answer(chunk.toString('latin1', 0, 1) === 'R' ? 'accepting' : 'starting'))
    socket.write(packet)
  })
}
