/**
 * Temporal's server for tests, whose time skips: weeks of timers fire at once. It is a program in Java. Where Java or Maven is missing there is none, and
 * whoever would use it goes on without.
 */
import { execFile, spawnSync } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'

import { TestWorkflowEnvironment } from '@temporalio/testing'

import { loadConfig } from '#platform/config.ts'

import { installRuntime, type TestTemporal } from './temporal.ts'

const run = promisify(execFile)
const version = '1.31.0'

export interface SkippingTemporal extends TestTemporal {
  /** Every timer that ends meanwhile fires. */
  skip(ms: number): Promise<void>
}

const has = (program: string, flag: string) => spawnSync(program, [flag], { stdio: 'ignore', timeout: 20_000 }).status === 0

const pom = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>fieldloop</groupId><artifactId>test-server</artifactId><version>1</version><dependencies><dependency>
<groupId>io.temporal</groupId><artifactId>temporal-test-server</artifactId><version>${version}</version></dependency></dependencies></project>`

/** The program, fetched once per user by Maven. */
async function findServer(): Promise<string | undefined> {
  if (!has('java', '-version')) return undefined
  const parent = join(loadConfig().cacheDir, 'temporal-test-server')
  const folder = join(parent, version)
  const program = join(folder, 'run.sh')
  if (existsSync(program)) return program
  if (!has('mvn', '-v')) return undefined
  mkdirSync(parent, { recursive: true })
  const draft = mkdtempSync(join(parent, 'fill-'))
  try {
    writeFileSync(join(draft, 'pom.xml'), pom)
    await run('mvn', ['-q', '-B', 'dependency:copy-dependencies', '-DoutputDirectory=lib'], { cwd: draft, timeout: 240_000 })
    writeFileSync(
      join(draft, 'run.sh'),
      `#!/bin/sh\nexec java -Xmx256m -cp "$(dirname "$0")/lib/*" io.temporal.testserver.TestServer "$@"\n`,
    )
    chmodSync(join(draft, 'run.sh'), 0o755)
    renameSync(draft, folder)
  } catch {
    // Without a way to the archive, or fetched by another run meanwhile.
    rmSync(draft, { recursive: true, force: true })
  }
  return existsSync(program) ? program : undefined
}

const starts = 3

/** Undefined where this machine has none. */
export async function openSkipping(): Promise<SkippingTemporal | undefined> {
  const path = await findServer()
  if (path === undefined) return undefined
  installRuntime()
  for (let tries = 1; ; tries++) {
    try {
      const opened = await TestWorkflowEnvironment.createTimeSkipping({ server: { executable: { type: 'existing-path', path } } })
      return {
        address: opened.address,
        namespace: 'default',
        skip: (ms) => opened.sleep(ms),
        close: () => opened.teardown(),
      }
    } catch (error) {
      // The SDK waits five seconds for it, and a busy machine takes longer at times.
      if (tries === starts) throw error
    }
  }
}
