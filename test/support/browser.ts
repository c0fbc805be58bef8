/** A real browser for tests: Chromium's headless shell out of a package, with the libraries that it needs, so that the machine need not have any. */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join, resolve } from 'node:path'

import { type Browser, chromium } from 'playwright-core'

import { loadConfig } from '#platform/config.ts'

const manifest = resolve(import.meta.dirname, '../../node_modules/@sparticuz/chromium/package.json')

/** Unpacks the browser into the cache, once for each version; answers its folder. */
async function unpacked(): Promise<string> {
  const { version } = JSON.parse(readFileSync(manifest, 'utf8')) as { version: string }
  const home = join(loadConfig().cacheDir, 'chromium')
  const folder = join(home, version)
  if (existsSync(folder)) return folder
  mkdirSync(home, { recursive: true })
  // Aside first: another suite must never start half a browser.
  const aside = mkdtempSync(join(home, '.new-'))
  const before = { TMPDIR: process.env['TMPDIR'], LD_LIBRARY_PATH: process.env['LD_LIBRARY_PATH'] }
  // The package unpacks below the temporary folder, and its libraries only where it believes to be in its maker's home.
  Object.assign(process.env, { TMPDIR: aside, AWS_LAMBDA_JS_RUNTIME: 'nodejs24.x' })
  const { default: packed } = await import('@sparticuz/chromium')
  await packed.executablePath()
  for (const [name, value] of Object.entries(before)) {
    if (value === undefined) delete process.env[name]
    else process.env[name] = value
  }
  delete process.env['AWS_LAMBDA_JS_RUNTIME']
  try {
    renameSync(aside, folder)
  } catch (error) {
    if (!existsSync(folder)) throw error
    rmSync(aside, { recursive: true, force: true })
  }
  return folder
}

/** `hosts`: names of this machine that are no localhost, so that plain HTTP to them is as to another machine. */
export async function openBrowser(hosts: readonly string[] = []): Promise<Browser> {
  const folder = await unpacked()
  return chromium.launch({
    executablePath: join(folder, 'chromium'),
    args: [
      '--no-sandbox',
      '--no-zygote',
      '--disable-gpu',
      '--disable-dev-shm-usage',
      ...(hosts.length === 0 ? [] : [`--host-resolver-rules=${hosts.map((host) => `MAP ${host} 127.0.0.1`).join(',')}`]),
    ],
    env: { ...process.env, LD_LIBRARY_PATH: join(folder, 'al2023', 'lib') },
  })
}
