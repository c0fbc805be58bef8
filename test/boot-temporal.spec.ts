import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'

import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'

import { loadConfig } from '#platform/config.ts'
import { createLog } from '#platform/log.ts'
import { isRunning, until } from '#server/boot/processes.ts'
import { startTemporal } from '#server/boot/temporal.ts'
import { findTemporal, problemWith } from '#server/boot/temporal-binary.ts'

import { inChild } from './support/child-process.ts'
import { freePort } from './support/ports.ts'

const log = createLog('silent')
let dataDir: string

beforeEach(() => {
  dataDir = mkdtempSync(join(tmpdir(), 'fieldloop-boot-'))
})
afterEach(() => rmSync(dataDir, { recursive: true, force: true }))

describe('finding a Temporal', () => {
  const printsVersion = (server: string) => `#!/bin/sh\necho "temporal version 1.5.1 (Server ${server}, UI 2.42.1)"\n`
  const { PATH: path, HOME: home } = process.env
  beforeEach(() => {
    process.env['HOME'] = dataDir
  })
  afterEach(() => {
    process.env['PATH'] = path
    process.env['HOME'] = home
  })

  function program(name: string, text: string): string {
    const file = join(dataDir, name)
    writeFileSync(file, text, { mode: 0o755 })
    return file
  }

  /** A place of releases that serves one archive with the given program in it, and counts the calls. */
  async function serveRelease(text: string): Promise<{ url: string; archives: () => number }> {
    mkdirSync(join(dataDir, 'release'))
    writeFileSync(join(dataDir, 'release', 'temporal'), text, { mode: 0o755 })
    execFileSync('tar', ['-czf', join(dataDir, 'release.tar.gz'), '-C', join(dataDir, 'release'), 'temporal'])
    let archives = 0
    const server: Server = createServer((request, response) => {
      if (request.url?.startsWith('/cli/1.5.1?')) {
        response.end(JSON.stringify({ archiveUrl: `${url()}/archive`, fileToExtract: 'temporal' }))
        return
      }
      archives += 1
      response.end(readFileSync(join(dataDir, 'release.tar.gz')))
    })
    onTestFinished(() => void server.close())
    const port = await freePort()
    const url = () => `http://127.0.0.1:${port}`
    await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
    return { url: url(), archives: () => archives }
  }

  function find(o: { cliPath?: string; downloadFrom?: string }) {
    const config = loadConfig({ XDG_CACHE_HOME: join(dataDir, 'cache'), TEMPORAL_CLI_PATH: o.cliPath })
    return findTemporal({
      config,
      log,
      onProgress: () => undefined,
      signal: new AbortController().signal,
      downloadFrom: o.downloadFrom ?? 'http://127.0.0.1:9',
    })
  }

  it('takes the named program, and never another one in its place', async () => {
    const good = program('good', printsVersion('1.29.1'))
    expect(await find({ cliPath: good })).toEqual({ path: good })
    const old = await find({ cliPath: program('old', printsVersion('1.26.2')) })
    expect(old).toMatchObject({ path: undefined, detail: expect.stringContaining('carries server 1.26.2, older than 1.27') })
    expect(old).toMatchObject({ remedy: expect.stringContaining('TEMPORAL_CLI_PATH') })
  })

  it('takes the one on PATH before it fetches any', async () => {
    const onPath = program('temporal', printsVersion('1.30.0'))
    process.env['PATH'] = `${dataDir}:/usr/bin:/bin`
    expect(await find({})).toEqual({ path: onPath })
  })

  it('takes the one of its own installer, which is on few a PATH', async () => {
    mkdirSync(join(dataDir, '.temporalio', 'bin'), { recursive: true })
    const installed = program(join('.temporalio', 'bin', 'temporal'), printsVersion('1.30.0'))
    process.env['PATH'] = '/usr/bin:/bin'
    expect(await find({})).toEqual({ path: installed })
  })

  it('downloads once into the cache, also when two come at once, and again when the cache is damaged', async () => {
    process.env['PATH'] = '/usr/bin:/bin'
    const release = await serveRelease(printsVersion('1.29.1'))
    const cached = join(dataDir, 'cache', 'fieldloop', 'temporal', '1.5.1', 'temporal')
    const both = await Promise.all([find({ downloadFrom: release.url }), find({ downloadFrom: release.url })])
    expect(both).toEqual([{ path: cached }, { path: cached }])
    expect(release.archives()).toBe(1)
    writeFileSync(cached, 'damaged')
    expect(await find({ downloadFrom: release.url })).toEqual({ path: cached })
    expect(release.archives()).toBe(2)
    expect(await problemWith(cached)).toBeUndefined()
  })

  /** A `go` whose `install` is the given script. */
  function fakeGo(install: string): void {
    program('go', `#!/bin/sh\nif [ "$1" = env ]; then printf 'go1.26.0\\nauto\\n'; exit; fi\n${install}\n`)
    process.env['PATH'] = `${dataDir}:/usr/bin:/bin`
  }

  it('builds with Go what cannot be downloaded, tells what it costs, and leaves none of what the build needed', async () => {
    const built = program('built', printsVersion('1.29.1'))
    // Go makes its modules read-only unless it is told otherwise.
    fakeGo(`echo 'go: downloading example.org/x v1' >&2
      mkdir -p "$GOMODCACHE/x" "$GOCACHE/y" && echo module >"$GOMODCACHE/x/x.go"
      case "$GOFLAGS" in *-modcacherw*) ;; *) chmod -R a-w "$GOMODCACHE" ;; esac
      echo "$GOMODCACHE" >'${dataDir}/modules-were-in'
      cp '${built}' "$GOBIN/temporal"`)
    const said: string[] = []
    const config = loadConfig({ XDG_CACHE_HOME: join(dataDir, 'cache') })
    const { signal } = new AbortController()
    const found = await findTemporal({ config, log, signal, downloadFrom: 'http://127.0.0.1:9', onProgress: (detail) => said.push(detail) })
    expect(found.path).toContain(join('temporal', '1.5.1', 'temporal'))
    expect(said.join('\n')).toContain('3.5 GB of disk meanwhile; done once per user')
    expect(existsSync(readFileSync(join(dataDir, 'modules-were-in'), 'utf8').trim())).toBe(false)
    expect(readdirSync(dirname(found.path ?? '')).toSorted()).toEqual(['fill.lock', 'temporal', 'temporal.sha256'])
  })

  it('says what Go said, and nothing of installing Go, where Go is and its proxy is not', async () => {
    fakeGo(`echo 'go: module lookup failed: dial tcp: connection refused' >&2; exit 1`)
    const found = await find({})
    expect(found).toMatchObject({ path: undefined, detail: expect.stringContaining('Go says: go: module lookup failed') })
    expect(found).toMatchObject({ remedy: expect.stringContaining('GOPROXY') })
    expect(found).not.toMatchObject({ remedy: expect.stringContaining('Install Go') })
  })

  it('says what to do when none can be had', async () => {
    process.env['PATH'] = '/usr/bin:/bin'
    const found = await find({})
    expect(found).toMatchObject({ path: undefined, detail: expect.stringContaining('there is no Go on PATH') })
    expect(found).toMatchObject({ remedy: expect.stringMatching(/^Install Go .*TEMPORAL_ADDRESS/) })
    const config = loadConfig({ DATA_DIR: dataDir, XDG_CACHE_HOME: join(dataDir, 'cache') })
    const temporal = startTemporal({ config, log, downloadFrom: 'http://127.0.0.1:9' })
    onTestFinished(() => temporal.stop())
    expect(await temporal.ready).toBeUndefined()
    expect(temporal.state()).toMatchObject({ state: 'absent', remedy: expect.stringContaining('TEMPORAL_ADDRESS') })
  })
})

describe('embedded Temporal', { timeout: 300_000 }, () => {
  const temporalProgram = process.env['TEMPORAL_CLI_PATH']
  const config = () => loadConfig({ DATA_DIR: dataDir, XDG_CACHE_HOME: join(dataDir, 'cache'), TEMPORAL_CLI_PATH: temporalProgram })

  it('returns at once, tells each state, serves, and stops', async () => {
    const states: string[] = []
    const temporal = startTemporal({ config: config(), log, onState: ({ state }) => states.push(state) })
    onTestFinished(() => temporal.stop())
    expect(temporal.state().state).toBe('starting')
    expect(await temporal.ready).toBe(temporal.address())
    expect(temporal.state()).toEqual({ state: 'up' })
    expect(states).toEqual(['starting', 'up'])
    const pid = temporal.pid ?? 0
    expect(statSync(join(dataDir, 'temporal.db')).mode & 0o777).toBe(0o600)
    await temporal.stop()
    expect(isRunning(pid)).toBe(false)
  })

  it('comes back by itself on the same address after it is killed hard', async () => {
    const temporal = startTemporal({ config: config(), log })
    onTestFinished(() => temporal.stop())
    const address = await temporal.ready
    const killed = temporal.pid ?? 0
    process.kill(killed, 'SIGKILL')
    expect(await until(() => temporal.state().state !== 'up', 10_000, 5)).toBe(true)
    expect(await until(() => temporal.state().state === 'up', 60_000)).toBe(true)
    expect(temporal.address()).toBe(address)
    expect(temporal.pid).not.toBe(killed)
  })

  it('takes over from a server that outlived its killed parent', async () => {
    const orphaned = await inChild(
      dataDir,
      `import { startTemporal } from '#server/boot/temporal.ts'
      import { createLog } from '#platform/log.ts'
      const config = ${JSON.stringify(config())}
      const temporal = startTemporal({ config, log: createLog('silent') })
      await temporal.ready
      console.log(temporal.pid)
      setInterval(() => {}, 1000)`,
    )
    await orphaned.killHard()
    expect(isRunning(Number(orphaned.line))).toBe(true)
    const temporal = startTemporal({ config: config(), log })
    onTestFinished(() => temporal.stop())
    expect(await temporal.ready).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(isRunning(Number(orphaned.line))).toBe(false)
  })

  it('uses a named server, never starts one beside it, and says when it is away', async () => {
    const named = startTemporal({ config: config(), log })
    onTestFinished(() => named.stop())
    const address = (await named.ready) ?? ''
    const external = startTemporal({ config: loadConfig({ DATA_DIR: join(dataDir, 'other'), TEMPORAL_ADDRESS: address }), log })
    onTestFinished(() => external.stop())
    expect(await external.ready).toBe(address)
    expect(external.pid).toBeUndefined()
    expect(existsSync(join(dataDir, 'other'))).toBe(false)
    await named.stop()
    expect(await until(() => external.state().state === 'down', 30_000)).toBe(true)
    expect(external.state().remedy).toContain('TEMPORAL_ADDRESS')
  })
})
