/**
 * The process: `node server/main.ts [all|api|worker] [--hold-jobs]`, or `recover <log-in name or e-mail>`, which prints a link for a new password and ends. `all` (the default) serves and works in one process; `api` and `worker` share external
 * services. Parts start in the order in which they need each other, and stop in the reverse one.
 */
import { randomBytes } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'

import { createActivities } from '#activities/index.ts'
import { newApiKey } from '#platform/api-keys.ts'
import type { Dependency, Readiness } from '#platform/call.ts'
import { type Config, loadConfig } from '#platform/config.ts'
import { migrate } from '#platform/db/migrate.ts'
import { createLog, type Logger } from '#platform/log.ts'
import { outboxBacklog } from '#platform/outbox.ts'
import { mailStateOf } from '#platform/person-mail.ts'
import { measureDue } from '#tools/events/service.ts'
import { createPlatform, type Platform } from '#platform/platform.ts'
import { resourcesOf } from '#platform/resources.ts'
import { domains } from '#tools/index.ts'
import { corpus, searchDocs } from '#tools/docs/service.ts'
import { makeRecoveryLink } from '#tools/auth/service.ts'
import { provisionFirstTenant } from '#tools/tenants/service.ts'

import { keepOnce, makeDataDir, secretsKey } from './boot/data-dir.ts'
import { loadEnvironment } from './boot/environment.ts'
import { databaseTrouble } from './boot/failures.ts'
import { portTaken } from './boot/ports.ts'
import { openWeb } from './boot/web.ts'
import { startDatabase, startServices, type Services as Backing } from './boot/services.ts'
import { ownMarkdown, pageHtml, portalTexts, servedTexts } from './docs/index.ts'
import type { DocsSite } from './http/docs-pages.ts'
import { createHttpServer } from './http/server.ts'
import { startMailServer } from './mail/server.ts'
import { createMcpEndpoint } from './mcp/endpoint.ts'
import { createHandsetCalls, createLinkCalls, createPages, filePages } from './pages/index.ts'
import { createOAuth } from './oauth/server.ts'
import { consentErrorPage } from './portal/consent/consent-page.ts'
import { createPortal } from './portal/server.ts'
import { carryOut } from './worker/carry-out.ts'
import { startCarrier } from './worker/carrier.ts'
import { startIndexKeeper } from './worker/index-keeper.ts'
import { startMailer } from './worker/mailer.ts'
import { startPurger } from './worker/purger.ts'
import { startRelay } from './worker/relay.ts'
import { startStarter } from './worker/starter.ts'
import { scheduleKinds } from './worker/schedule-kinds.ts'
import { startTicker } from './worker/ticker.ts'
import { watcherKinds } from './worker/watcher-kinds.ts'
import { startWorkers } from './worker/worker.ts'

type Mode = 'all' | 'api' | 'worker'

/** What has been started and how to stop it; stopped last in, first out, each within a bound. */
const stops: { readonly name: string; readonly stop: () => Promise<void> }[] = []
let isStopping = false

/** How to start, by the arguments: `all` unless told. */
function wishOf(args: readonly string[]): { mode: Mode; holdsJobs: boolean } | { recovers: string } {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { 'hold-jobs': { type: 'boolean', default: false } },
    allowPositionals: true,
  })
  if (positionals[0] === 'recover') return { recovers: positionals[1] ?? '' }
  return { mode: modeOf(positionals[0]), holdsJobs: values['hold-jobs'] }
}

function modeOf(argument: string | undefined): Mode {
  if (argument === undefined || argument === 'all') return 'all'
  if (argument === 'api' || argument === 'worker') return argument
  throw new Error(`"${argument}" is no way to start. Say all, api or worker.`)
}

async function stopAll(log: Logger, exitCode: number): Promise<void> {
  if (isStopping) return
  isStopping = true
  for (const { name, stop } of stops.toReversed()) {
    const limit = AbortSignal.timeout(40_000)
    await Promise.race([
      stop().catch((error: unknown) => log.warn({ err: error, part: name }, 'a part did not stop cleanly')),
      new Promise<void>((resolve) => limit.addEventListener('abort', () => resolve())),
    ])
  }
  process.exit(exitCode)
}

/**
 * Provisions the first tenant. Its secrets are in their files before they count, so that no crash leaves a key that nobody knows; where another boot
 * has provisioned already, the files of this one go again.
 */
async function provision(config: Config, platform: Platform): Promise<void> {
  const made: string[] = []
  const secretOf = (file: string, given: string | undefined, make: () => string): string => {
    const path = join(config.dataDir, file)
    if (given !== undefined) return given
    if (!existsSync(path)) made.push(path)
    return keepOnce(path, make).trim()
  }
  const apiKey = secretOf('bootstrap-key', config.bootstrap.apiKey, newApiKey)
  const adminPassword = secretOf('bootstrap-password', config.bootstrap.adminPassword, () => randomBytes(18).toString('base64url'))
  const { created } = await provisionFirstTenant(platform.services, { apiKey, adminPassword })
  if (!created) for (const path of made) rmSync(path, { force: true })
  if (!created || made.length === 0) return
  const shown = config.bootstrap.apiKey === undefined ? `Your first key, which holds every role: ${apiKey}\n  It is shown this once. ` : ''
  process.stdout.write(`\n  ${shown}Kept, for their owner alone to read: ${made.join(', ')}\n`)
}

function redisState(config: Config, platform: Platform): Dependency {
  if (config.redisUrl === undefined) return { state: 'absent', detail: 'PostgreSQL carries the wake-ups' }
  if (platform.services.wake.isOnRedis()) return { state: 'up' }
  return {
    state: 'down',
    detail: 'PostgreSQL carries the wake-ups meanwhile, and each process counts the limits of calls by itself.',
    remedy: 'Start Redis again, or correct REDIS_URL.',
  }
}

function mailState(config: Config): Dependency {
  const state = mailStateOf(config)
  if (state === 'up') return { state }
  const remedy = 'Set MAIL_URL and MAIL_FROM to send mails.'
  if (state === 'local') return { state, detail: 'Invitations and resets are kept 7 days in DATA_DIR/mails, and go to nobody.', remedy }
  return { state, detail: 'Invitations and resets answer 503.', remedy }
}

/** Told only while they are. */
const heldJobs: Readonly<Record<string, Dependency>> = {
  jobs: {
    state: 'down',
    detail: 'Jobs are held: they queue, can be listed and cancelled, and none is carried out, nor is a file recognised.',
    remedy: 'Cancel the job that does harm, then start again without --hold-jobs and HOLD_JOBS.',
  },
}

async function readinessOf(config: Config, platform: Platform, backing: Backing): Promise<Readiness> {
  const isUp = await platform.services.databases.isUp()
  const postgres: Dependency = isUp ? { state: 'up' } : { state: 'down', remedy: 'Start PostgreSQL again, or correct DATABASE_URL.' }
  const dependencies: Record<string, Dependency> = {
    postgres,
    temporal: backing.temporal.state(),
    redis: redisState(config, platform),
    mail: mailState(config),
    ...(config.holdsJobs ? heldJobs : {}),
  }
  return { status: isUp ? 'ready' : 'down', dependencies }
}

/** The documentation as a browser gets it: with this installation's address in the samples, each page made once, when somebody first asks for it. */
function docsSite(config: Config, platform: Platform): DocsSite {
  const pages = corpus.pages().map((page) => {
    let html: Promise<string> | undefined
    return {
      ...page,
      markdown: ownMarkdown(page.markdown, config.publicUrl),
      html: () => (html ??= pageHtml(page, config.publicUrl)),
    }
  })
  return { pages, search: (query) => searchDocs(platform.services, query, 10) }
}

async function serve(config: Config, log: Logger, platform: Platform, backing: Backing): Promise<void> {
  const resources = resourcesOf(platform.services)
  const mcp = createMcpEndpoint({ pipeline: platform.pipeline, config, log, corpus, resources })
  const { registry } = platform.pipeline
  const { publicUrl } = config
  const texts = servedTexts(registry, { pages: corpus.pages(), publicUrl })
  const http = await createHttpServer({
    pipeline: platform.pipeline,
    config,
    log,
    readiness: () => readinessOf(config, platform, backing),
    backlog: () => platform.services.databases.lookUp(async (tx) => ({ ...(await outboxBacklog(tx)), deliveries: await measureDue(tx) })),
    mcp,
    resources,
    pages: createPages({
      calls: createLinkCalls(platform.pipeline),
      handsets: createHandsetCalls(platform.pipeline),
      onFailure: (error, requestId) => log.error({ err: error, requestId }, 'a page failed'),
    }),
    docs: {
      texts,
      site: docsSite(config, platform),
    },
  })
  const { port } = await http.listen().catch((error: unknown) => Promise.reject(new Error(portTaken(error, config.port, 'PORT'))))
  stops.push({ name: 'http', stop: () => http.close() }, { name: 'mcp', stop: () => mcp.close() })
  const oauth = createOAuth({ services: platform.services, resources, errorPage: consentErrorPage })
  stops.push({ name: 'authorization server', stop: () => oauth.end() })
  const portal = await createPortal({
    services: platform.services,
    pipeline: platform.pipeline,
    config,
    log,
    files: filePages(),
    oauth,
    // Signing in and the API need none of it.
    application: await openWeb(config).catch((error: unknown) => {
      log.error({ err: error }, 'the portal has no application')
      return undefined
    }),
    texts: portalTexts(registry, {
      pages: corpus.pages().map((page) => ({ ...page, markdown: ownMarkdown(page.markdown, publicUrl) })),
      publicUrl,
      served: texts,
    }),
  })
  const { port: portalPort } = await portal
    .listen()
    .catch((error: unknown) => Promise.reject(new Error(portTaken(error, config.portalPort, 'PORTAL_PORT'))))
  stops.push({ name: 'portal', stop: () => portal.close() })
  const mail = await startMailServer({ services: platform.services, config, log }).catch((error: unknown) =>
    Promise.reject(new Error(portTaken(error, config.mailPort, 'MAIL_PORT'))),
  )
  stops.push({ name: 'mail', stop: () => mail.close() })
  if (config.holdsJobs) process.stdout.write('\n  Jobs are held: they queue, and none is carried out.')
  process.stdout.write(
    `\n  Fieldloop serves on http://${config.host}:${port}  (API, and MCP at /mcp)\n  Its portal, where people sign in: http://${config.host}:${portalPort}\n`,
  )
}

/** Workers and the relay start once Temporal answers, which may be minutes after the API; the outbox waits. */
function work(config: Config, log: Logger, platform: Platform, backing: Backing): void {
  const { services } = platform
  const activities = createActivities(services)
  stops.push({ name: 'recognizer', stop: () => activities.close() })
  const carrier = startCarrier(services, watcherKinds)
  stops.push({ name: 'carrier of events', stop: () => carrier.stop() })
  const starter = startStarter(services)
  stops.push({ name: 'starter of runs', stop: () => starter.stop() })
  const mailer = startMailer(services)
  stops.push({ name: 'mailer', stop: () => mailer.stop() })
  const indexKeeper = startIndexKeeper(services)
  stops.push({ name: 'index keeper', stop: () => indexKeeper.stop() })
  void backing.temporal.ready.then((address) => {
    if (address === undefined || isStopping) return
    const workers = startWorkers({
      address,
      namespace: config.temporal.namespace,
      cacheDir: config.cacheDir,
      log,
      temporal: services.temporal,
      activities,
      recognitions: config.recognition.workers,
      holdsJobs: config.holdsJobs,
      shutdownSeconds: config.shutdownSeconds,
    })
    stops.push({ name: 'workers', stop: () => workers.stop() })
    const relay = startRelay(services, (errand) => carryOut(services, errand))
    stops.push({ name: 'relay', stop: () => relay.stop() })
    const ticker = startTicker(services, scheduleKinds)
    stops.push({ name: 'ticker', stop: () => ticker.stop() })
    const purger = startPurger(services)
    stops.push({ name: 'purger', stop: () => purger.stop() })
    workers.running.catch((error: unknown) => {
      log.error({ err: error }, 'the workers could not be started')
      void stopAll(log, 1)
    })
  })
}

/** Of the start, once the settings say how much is logged. */
let startLog: Logger | undefined

async function main(): Promise<void> {
  loadEnvironment()
  const wish = wishOf(process.argv.slice(2))
  const config = loadConfig()
  if ('recovers' in wish) return recover(config, wish.recovers)
  const { mode, holdsJobs } = wish
  startLog = createLog(config.logLevel)
  await start({ ...config, holdsJobs: holdsJobs || config.holdsJobs }, startLog, mode)
}

/** Whoever has the machine has the installation: a link for a new password, which skips no second factor. */
async function recover(config: Config, logIn: string): Promise<void> {
  if (logIn === '') throw new Error('Say whom: npm run recover -- admin, or an e-mail.')
  const log = createLog('error')
  const key = secretsKey(config)
  const database = await startDatabase({ config, log })
  stops.push({ name: 'database', stop: () => database.stop() })
  const urls = await migrate({
    ownerUrl: database.directUrl,
    pooledUrl: database.databaseUrl,
    appUrl: config.database.appUrl,
    lookupUrl: config.database.lookupUrl,
    secretsKey: key,
    log,
  })
  const platform = await createPlatform({ config, log, urls, directUrl: database.directUrl, secretsKey: key, domains })
  stops.push({ name: 'platform', stop: () => platform.end() })
  const link = await makeRecoveryLink(platform.services, logIn)
  process.stdout.write(
    link
      ? `\n  Open this link to set a new password, until ${link.expiresAt}, once the portal is up:\n\n  ${link.url}\n\n`
      : `\n  Nobody signs in as ${logIn}.\n`,
  )
  await stopAll(log, link ? 0 : 1)
}

async function start(config: Config, log: Logger, mode: Mode): Promise<void> {
  // Whoever reads these lines may go away, and the disk that they go to may be full: neither ends the process.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => void stopAll(log, 0))
  process.on('uncaughtException', (error) => {
    log.fatal({ err: error }, 'uncaught')
    void stopAll(log, 1)
  })
  makeDataDir(config.dataDir)
  const key = secretsKey(config)
  const backing = await startServices({ config, log })
  stops.push({ name: 'services', stop: () => backing.stop() })
  const urls = await migrate({
    ownerUrl: backing.directUrl,
    pooledUrl: backing.databaseUrl,
    appUrl: config.database.appUrl,
    lookupUrl: config.database.lookupUrl,
    secretsKey: key,
    log,
  }).catch((error: unknown) => Promise.reject(config.database.url === undefined ? error : databaseTrouble(error, backing.directUrl)))
  const platform = await createPlatform({ config, log, urls, directUrl: backing.directUrl, secretsKey: key, domains })
  stops.push({ name: 'platform', stop: () => platform.end() })
  await provision(config, platform)
  const isAnswering = () => backing.temporal.state().state === 'up'
  void backing.temporal.ready.then((address) => address !== undefined && platform.services.temporal.connectTo(address, isAnswering))
  if (mode !== 'worker') await serve(config, log, platform, backing)
  if (mode !== 'api') work(config, log, platform, backing)
}

main().catch((error: unknown) => {
  // What goes on beside the start, Temporal's above all, may still succeed; the failure is to stay the last word.
  if (startLog) startLog.level = 'silent'
  process.stderr.write(`\n  Fieldloop could not start. ${error instanceof Error ? error.message : String(error)}\n`)
  void stopAll(createLog('error'), 1)
})
