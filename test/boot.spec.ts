import { execFileSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

import postgres from 'postgres'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import type { Services } from '#platform/services.ts'
import { lockDataDir, secretsKey } from '#server/boot/data-dir.ts'
import { databaseTrouble } from '#server/boot/failures.ts'
import { startEmbeddedPostgres, type EmbeddedPostgres } from '#server/boot/postgres.ts'
import { postgresBinaries } from '#server/boot/postgres-binaries.ts'
import { freePort, portTaken, whoHasPort } from '#server/boot/ports.ts'
import { isRunning, shortCommand, until } from '#server/boot/processes.ts'
import { startServices } from '#server/boot/services.ts'
import { startMailServer } from '#server/mail/server.ts'

import { inChild } from './support/child-process.ts'
import { startHttpServer } from './support/http-server.ts'

const log = createLog('silent')
const isRoot = process.geteuid?.() === 0
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'fieldloop-boot-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('the data directory', () => {
  it('is closed to everybody else', () => {
    const path = join(dataDir, 'new', 'data')
    lockDataDir(path).release()
    expect(statSync(path).mode & 0o777).toBe(0o700)
  })

  it('makes the secrets key once, with mode 0600', () => {
    const config = { dataDir, secretsKey: undefined }
    const first = secretsKey(config)
    expect(first).toHaveLength(32)
    expect(secretsKey(config).equals(first)).toBe(true)
    expect(statSync(join(dataDir, 'secrets-key')).mode & 0o777).toBe(0o600)
    expect(readdirSync(dataDir)).toEqual(['secrets-key'])
  })

  it('takes the key of the environment, and refuses one of another length by name', () => {
    const named = Buffer.alloc(32, 7)
    expect(secretsKey({ dataDir, secretsKey: named.toString('base64') }).equals(named)).toBe(true)
    expect(existsSync(join(dataDir, 'secrets-key'))).toBe(false)
    expect(() => secretsKey({ dataDir, secretsKey: 'c2hvcnQ=' })).toThrow(/^SECRETS_KEY must be 32 bytes in base64, but is 5 bytes/)
  })

  it('names the program of a long command line rather than its folders', () => {
    const deep = `/home/${'somebody/with/a/deep/tree/'.repeat(8)}`
    expect(shortCommand(`${deep}node_modules/.bin/node ${deep}server/main.ts all`)).toBe('…/node …/main.ts all')
    expect(shortCommand('node server/main.ts')).toBe('node server/main.ts')
    expect(shortCommand(`node ${'x'.repeat(200)}`)).toHaveLength(80)
  })

  it('tells a second start who has it, and frees it when the holder is killed hard', async () => {
    const source = `import { lockDataDir } from '#server/boot/data-dir.ts'
      globalThis.kept = lockDataDir(${JSON.stringify(dataDir)}); console.log('locked'); setInterval(() => {}, 1000)`
    const holder = await inChild(dataDir, source)
    expect(() => lockDataDir(dataDir)).toThrow(
      new RegExp(`${dataDir} is in use by .*child\\.ts \\(process ${holder.pid}\\)\\. Stop it first`),
    )
    await holder.killHard()
    lockDataDir(dataDir).release()
  })
})

describe('ports', () => {
  it('says who has a taken port and which setting to change', async () => {
    const server = createServer()
    onTestFinished(() => void server.close())
    const port = await freePort()
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    const error = await new Promise<Error>((resolve) => createServer().once('error', resolve).listen(port, '127.0.0.1'))
    expect(whoHasPort(port)).toContain(`(process ${process.pid})`)
    // Both listeners say what the system said, so that the start can say the rest.
    await expect(startHttpServer({}, { PORT: String(port) })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    const config = loadConfig({ DATA_DIR: dataDir, MAIL_PORT: String(port) })
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a port that is taken is found out before the services are asked for anything.
    const services = {} as Services
    await expect(startMailServer({ services, config, log })).rejects.toMatchObject({ code: 'EADDRINUSE' })
    expect(portTaken(error, port, 'PORT')).toMatch(
      new RegExp(`^Port ${port} is taken by .*\\(process ${process.pid}\\)\\. Stop it, or set PORT`),
    )
  })
})

describe('a database that is named', () => {
  it('and cannot be used is a sentence with its place and the setting, without its password', async () => {
    const port = await freePort()
    const url = `postgres://owner:hunter2@127.0.0.1:${port}/fieldloop`
    const sql = postgres(url, { max: 1, connect_timeout: 5 })
    const error = await sql`select 1`.catch((refused: unknown) => refused)
    await sql.end()
    const { message } = databaseTrouble(error, url) as Error
    expect(message).toMatch(
      new RegExp(`^The database 127.0.0.1:${port}/fieldloop cannot be used: .*ECONNREFUSED.* correct DATABASE_URL\\.$`),
    )
    expect(message).not.toContain('hunter2')
    const own = new Error('A sentence of ours.')
    expect(databaseTrouble(own, url)).toBe(own)
  })
})

describe('embedded PostgreSQL', { timeout: 300_000 }, () => {
  const start = () => startEmbeddedPostgres({ dataDir, log, isDurable: false })

  /** Runs one statement on a connection of its own. */
  async function query(server: EmbeddedPostgres, statement: string) {
    const sql = postgres(server.url, { max: 1, onnotice: () => undefined })
    try {
      return await sql.unsafe(statement)
    } finally {
      await sql.end()
    }
  }

  it('gives an owner that is no superuser but makes schemas, roles and trusted extensions', async () => {
    const server = await start()
    onTestFinished(() => server.stop())
    const [who] = await query(server, 'select current_user as name, rolsuper, rolbypassrls from pg_roles where rolname = current_user')
    expect(who).toEqual({ name: 'fieldloop_owner', rolsuper: false, rolbypassrls: false })
    await query(
      server,
      `create schema t_1; create table t_1.thing (id int); create extension pg_trgm;
       create role app login password 'app-password'; create role t_1_role; grant usage on schema t_1 to t_1_role;
       grant select on t_1.thing to t_1_role; grant t_1_role to app with inherit false, set true`,
    )
    const app = postgres(server.url.replace(/\/\/.*@/, '//app:app-password@'), { max: 1 })
    onTestFinished(() => app.end())
    await expect(app`select id from t_1.thing`).rejects.toThrow('permission denied')
    const rows = await app.begin(async (tx) => {
      await tx`set local role t_1_role`
      return tx`select id from t_1.thing`
    })
    expect(rows).toHaveLength(0)
  })

  it('collates by the builtin C.UTF-8 locale, keeps UTC and asks for a password', async () => {
    const server = await startEmbeddedPostgres({ dataDir, log })
    onTestFinished(() => server.stop())
    const [facts] = await query(
      server,
      `select datlocprovider::text as provider, datlocale as locale, current_setting('TimeZone') as zone, current_setting('fsync') as fsync
       from pg_database where datname = current_database()`,
    )
    expect(facts).toEqual({ provider: 'b', locale: 'C.UTF-8', zone: 'UTC', fsync: 'on' })
    const stranger = postgres(server.url.replace(/:[^:@]*@/, ':wrong@'), { max: 1 })
    onTestFinished(() => stranger.end())
    await expect(stranger`select 1`).rejects.toThrow('password authentication failed')
    expect(statSync(join(dataDir, 'postgres-credentials.json')).mode & 0o777).toBe(0o600)
  })

  it('keeps its data and its port over a restart, also when the passwords are lost', async () => {
    const first = await start()
    await query(first, 'create table kept (id int); insert into kept values (1)')
    await first.stop()
    rmSync(join(dataDir, 'postgres-credentials.json'))
    const second = await start()
    onTestFinished(() => second.stop())
    expect(second.port).toBe(first.port)
    expect(second.url).not.toBe(first.url)
    expect(await query(second, 'select id from kept')).toEqual([{ id: 1 }])
  })

  it('comes back by itself, on the same port and with its data, after it is killed hard', async () => {
    const server = await start()
    onTestFinished(() => server.stop())
    await query(server, 'create table kept (id int); insert into kept values (1)')
    const killed = server.pid ?? 0
    process.kill(killed, 'SIGKILL')
    expect(await until(() => server.pid !== undefined && server.pid !== killed, 30_000)).toBe(true)
    expect(
      await until(
        () =>
          query(server, 'select id from kept').then(
            (rows) => rows.length === 1,
            () => false,
          ),
        30_000,
      ),
    ).toBe(true)
  })

  it('takes over from a server that outlived its killed parent: never two on one directory', async () => {
    const orphaned = await inChild(
      dataDir,
      `import { startEmbeddedPostgres } from '#server/boot/postgres.ts'
      import { createLog } from '#platform/log.ts'
      const server = await startEmbeddedPostgres({ dataDir: ${JSON.stringify(dataDir)}, log: createLog('silent') })
      console.log(server.pid)
      setInterval(() => {}, 1000)`,
    )
    await orphaned.killHard()
    expect(isRunning(Number(orphaned.line))).toBe(true)
    const server = await start()
    onTestFinished(() => server.stop())
    expect(isRunning(Number(orphaned.line))).toBe(false)
    expect(await query(server, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('starts over a pid file whose number now belongs to another process', async () => {
    const first = await start()
    await first.stop()
    writeFileSync(join(dataDir, 'postgres', 'postmaster.pid'), `${process.pid}\n`)
    const second = await start()
    onTestFinished(() => second.stop())
    expect(await query(second, 'select 1 as one')).toEqual([{ one: 1 }])
  })

  it('says what is wrong and quotes the log when it cannot start', async () => {
    const taken = createServer()
    onTestFinished(() => void taken.close())
    const port = await freePort()
    await new Promise<void>((resolve) => taken.listen(port, '127.0.0.1', resolve))
    await expect(startEmbeddedPostgres({ dataDir, log, port })).rejects.toThrow(
      /^PostgreSQL ended with code 1\. Its log .*postgres\.log ends:[^]*in use/i,
    )
  })

  it('refuses data of another version', async () => {
    mkdirSync(join(dataDir, 'postgres'))
    writeFileSync(join(dataDir, 'postgres', 'PG_VERSION'), '17\n')
    await expect(start()).rejects.toThrow(/holds data of PostgreSQL 17, this is PostgreSQL 18/)
  })

  it.runIf(isRoot)('runs as another user below directories that are closed to that user', async () => {
    chmodSync(dataDir, 0o700)
    const server = await start()
    onTestFinished(() => server.stop())
    expect(statSync(join(dataDir, 'postgres')).uid).not.toBe(0)
    expect(statSync(`/proc/${server.pid}`).uid).toBe(statSync(join(dataDir, 'postgres')).uid)
  })

  it.runIf(isRoot)('copies its programs where another user can run them when the clone is closed', () => {
    const nobody = { uid: 65534, gid: 65534 }
    const own = postgresBinaries(undefined)
    const closed = join(dataDir, 'closed')
    execFileSync('cp', ['-r', join(own.postgres, '..', '..'), closed])
    chmodSync(closed, 0o700)
    chmodSync(dataDir, 0o755)
    const copied = postgresBinaries(nobody, { copyTo: join(dataDir, 'open'), native: closed })
    expect(copied.postgres.startsWith(join(dataDir, 'open'))).toBe(true)
    expect(execFileSync(copied.postgres, ['--version'], { ...nobody, cwd: '/', encoding: 'utf8' })).toContain('PostgreSQL) 18')
  })
})

describe('the services together', { timeout: 300_000 }, () => {
  const absentTemporal = { TEMPORAL_CLI_PATH: '/nowhere/temporal' }

  it('serves the database while Temporal cannot be had, and leaves nothing running', async () => {
    const services = await startServices({ config: loadConfig({ DATA_DIR: dataDir, ...absentTemporal }), log })
    const sql = postgres(services.databaseUrl, { max: 1 })
    expect(await sql`select 1 as one`).toEqual([{ one: 1 }])
    await sql.end()
    expect(await services.temporal.ready).toBeUndefined()
    const pid = services.postgres?.pid ?? 0
    expect(isRunning(pid)).toBe(true)
    await services.stop()
    expect(isRunning(pid)).toBe(false)
  })

  it('refuses a second start on one data directory, and the first goes on', async () => {
    const config = loadConfig({ DATA_DIR: dataDir, ...absentTemporal })
    const first = await startServices({ config, log })
    onTestFinished(() => first.stop())
    const pid = first.postgres?.pid
    await expect(startServices({ config, log })).rejects.toThrow(new RegExp(`${dataDir} is in use by .*\\(process ${process.pid}\\)`))
    expect(first.postgres?.pid).toBe(pid)
  })

  it('starts nothing and locks nothing where every service is named', async () => {
    const named = { DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none', TEMPORAL_ADDRESS: '127.0.0.1:9' }
    const config = loadConfig({ DATA_DIR: dataDir, ...named })
    const both = [await startServices({ config, log }), await startServices({ config, log })]
    expect(both.map((services) => services.databaseUrl)).toEqual([named.DATABASE_URL, named.DATABASE_URL])
    expect(readdirSync(dataDir)).toEqual([])
    await Promise.all(both.map((services) => services.stop()))
  })
})
