/** Every setting, read once from the environment, with its default, its unit and what it is for. */
import { isIP } from 'node:net'
import { availableParallelism, homedir, totalmem } from 'node:os'
import { join, resolve } from 'node:path'

import { z } from 'zod'

const MiB = 1024 * 1024

/** In digits alone: what a number may be made of otherwise would be taken for another one, or for none. */
const number = (least: number, most: number) =>
  z.string().transform((text, context) => {
    const value = /^\d{1,15}$/.test(text) ? Number(text) : -1
    if (value >= least && value <= most) return value
    const message = `a whole number from ${least} to ${most} is needed, not ${JSON.stringify(text.slice(0, 40))}`
    context.issues.push({ code: 'custom', message, input: text })
    return z.NEVER
  })
const whole = (least: number, most: number, fallback: number) => number(least, most).default(fallback)
const port = (fallback: number) => whole(0, 65_535, fallback)
const count = (fallback: number) => whole(1, Number.MAX_SAFE_INTEGER, fallback)
// A timer takes no more milliseconds than 31 bits hold.
const seconds = (fallback: number) => whole(1, 86_400, fallback)
const url = z.string().min(1).optional()

function hasProtocol(protocols: readonly string[]) {
  return (text: string | undefined) => text === undefined || (URL.canParse(text) && protocols.includes(new URL(text).protocol))
}

const databaseUrl = url.refine(hasProtocol(['postgres:', 'postgresql:']), 'an address such as postgres://user:password@host:5432/database')

/** An address or a CIDR range as a CIDR range; undefined for anything else. A mistake found later would be found by a call of some tenant. */
function asRange(text: string): string | undefined {
  const [address = '', bits, ...rest] = text.split('/')
  const most = { 0: undefined, 4: 32, 6: 128 }[isIP(address)]
  if (most === undefined || rest.length > 0) return undefined
  if (bits === undefined) return `${address}/${most}`
  return /^\d{1,3}$/.test(bits) && Number(bits) <= most ? text : undefined
}

const parts = (list: string) =>
  list
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)

function isWholeAddress(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, search, hash, username, password } = new URL(text)
  return /^https?:$/.test(protocol) && search + hash + username + password === ''
}

/** An origin as a browser sends it: scheme, host and port, in lower case, without a slash behind. */
function isOrigin(text: string): boolean {
  return text === '*' || (!text.includes('*') && isWholeAddress(text) && new URL(text).origin === text)
}

const environment = z.object({
  HOST: z.string().default('127.0.0.1').describe('Address that every port listens on'),
  PORT: port(4000).describe('API and MCP'),
  PORTAL_PORT: port(4001).describe('The developer portal: sign-in, and what people do in a browser'),
  MAIL_PORT: port(4025).describe('Inbound mail (SMTP)'),
  PUBLIC_URL: url
    .refine((text) => text === undefined || isWholeAddress(text), 'a whole address, such as https://ops.example.com')
    .describe('The address that people and vendors reach; used in links and to check webhook signatures; absent: http://localhost:<PORT>'),
  PORTAL_URL: url
    .refine(
      (text) => text === undefined || (isWholeAddress(text) && new URL(text).pathname === '/'),
      'an origin, such as https://portal.example.com',
    )
    .describe('The address of the portal: sign-in, and the links of mails that lead to it; absent: http://localhost:<PORTAL_PORT>'),
  MAIL_URL: url
    .refine(hasProtocol(['smtp:', 'smtps:']), 'an address such as smtps://user:password@mail.example.com:465')
    .describe(
      'The mail server of the installation, for invitations and resets; absent: mails are kept 7 days in DATA_DIR, where HOST is loopback',
    ),
  MAIL_FROM: z.email().optional().describe('The address that those mails come from; needed beside MAIL_URL'),
  SMS_URL: url
    .refine(hasProtocol(['https:', 'http:']), 'an address such as https://AC…:token@api.example.com')
    .describe(
      'Who sends codes by SMS, as https://<account>:<token>@<host of the API>; absent: they are kept 7 days in DATA_DIR, where HOST is loopback',
    ),
  SMS_FROM: z.string().min(3).max(40).optional().describe('The number or name that they come from; needed beside SMS_URL'),
  TENANT_DOMAIN: z
    .string()
    .regex(/^[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?$/, 'a domain in lower case, such as example.com')
    .optional()
    .describe("A tenant without a host of its own is at <subDomain>.<TENANT_DOMAIN>; absent: PORTAL_URL's host"),
  TRUSTED_PROXIES: z
    .string()
    .default('')
    .refine(
      (list) => parts(list).every((part) => asRange(part) !== undefined),
      'addresses or CIDRs such as 10.0.0.0/8, with commas between',
    )
    .describe(
      'Comma-separated CIDRs of the proxies in front, whose X-Forwarded-For, -Proto and -Host are believed; none: the connection tells',
    ),
  DATA_DIR: z.string().default('.data').describe('Where embedded services and local files keep their data'),
  XDG_CACHE_HOME: z.string().optional().describe('Parent of the per-user cache of things fetched or built once; absent: ~/.cache'),
  DATABASE_URL: databaseUrl.describe("PostgreSQL 18, as the schema's owner; absent: started embedded"),
  DATABASE_DIRECT_URL: databaseUrl.describe('The same without a pooler between, for LISTEN and schema changes'),
  DATABASE_APP_URL: databaseUrl.describe('As the application role; absent: made at boot'),
  DATABASE_LOOKUP_URL: databaseUrl.describe('As the look-up role; absent: made at boot'),
  DATABASE_POOL: count(10).describe(
    'Database connections of one process, of which one tenant has at most six tenths; a fifth more are kept for tenants that hold none',
  ),
  REDIS_URL: url
    .refine(hasProtocol(['redis:', 'rediss:']), 'an address such as redis://host:6379/0')
    .describe(
      'Redis for limits and wake-ups over several processes; absent: each process counts its limits, PostgreSQL carries the wake-ups',
    ),
  TEMPORAL_ADDRESS: url
    .refine((text) => text === undefined || /^[^\s/]+:\d{1,5}$/.test(text), 'host:port, such as temporal:7233')
    .describe('host:port of a Temporal frontend; absent: started embedded'),
  TEMPORAL_NAMESPACE: z.string().default('default').describe('The namespace there'),
  TEMPORAL_CLI_PATH: z.string().optional().describe('A temporal binary to start instead of looking for one'),
  SECRETS_KEY: z.string().optional().describe('32 bytes in base64; absent: DATA_DIR/secrets-key, made at first boot'),
  BOOTSTRAP_API_KEY: z.string().min(16).optional().describe("The first boot's global-administrator key"),
  BOOTSTRAP_ADMIN_PASSWORD: z.string().min(8).optional().describe("The first boot's administrator password"),
  OUTBOUND_ALLOW: z
    .string()
    .default('')
    .refine(
      (list) => parts(list).every((part) => asRange(part) !== undefined),
      'addresses or CIDRs such as 10.0.0.0/8, with commas between',
    )
    .describe('Comma-separated CIDRs that outbound calls may reach although private'),
  CORS_ORIGINS: z
    .string()
    .default('')
    .refine((list) => parts(list).every(isOrigin), 'origins such as https://app.example.com, with commas between, or *')
    .describe('Comma-separated origins whose pages may call the API and MCP; *: every one, without credentials of the browser'),
  OAUTH_REDIRECT_SCHEMES: z
    .string()
    .default('')
    .refine(
      (list) =>
        parts(list).every(
          (scheme) => /^[a-z][a-z0-9+.-]{1,60}$/.test(scheme) && !/^(?:https?|javascript|data|vbscript|blob|file|about)$/.test(scheme),
        ),
      'schemes such as cursor, with commas between',
    )
    .describe('Comma-separated schemes of redirects that applications may have beside https and loopback, such as cursor'),
  LOG_LEVEL: z
    .enum(['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'])
    .default('info')
    .describe('The least that is logged, to stderr as JSON'),
  MAX_JSON_BYTES: count(16 * MiB).describe('A JSON body'),
  MAX_MCP_BYTES: count(4 * MiB).describe('An MCP message'),
  MAX_UPLOAD_BYTES: count(1024 * MiB).describe('A file'),
  MAX_ANSWER_BYTES: count(4 * MiB).describe('A page of a list; it ends early, with a cursor'),
  MAX_MCP_ANSWER_BYTES: count(256 * 1024).describe('The same over MCP, where a model reads it'),
  MAX_BULK_ROWS: count(10_000).describe('Rows of one bulk call'),
  MAX_IMPORT_COLUMNS: count(1_000).describe('Columns of an imported file'),
  MAX_BYTES_IN_FLIGHT: count(256 * MiB).describe(
    'What bodies under way and answers that are not taken yet may hold in one process, and as much again the rows that bulks work on',
  ),
  STALL_SECONDS: seconds(30).describe('How long a body may bring less than MIN_BYTES_PER_SECOND, or an answer not be taken'),
  MIN_BYTES_PER_SECOND: count(1_024).describe('The slowest that a body may come'),
  CALLS_PER_MINUTE: count(6_000).describe('Calls a minute for each key'),
  STARTS_PER_MINUTE: count(600).describe('Runs of one workflow that begin within a minute; more wait'),
  AUDIT_DAYS: whole(30, 36_500, 400).describe('How long the audit log keeps an event, at least 30'),
  REPORT_SECONDS: number(1, 25).default(20).describe('How long the statement of a report or an aggregate may take'),
  RECOGNITION_WORKERS: number(1, 1_000)
    .optional()
    .describe('Recognition jobs that one worker process runs at once; one for each core but one and each 3 GiB of memory, at most 8'),
  RECOGNITION_TIMEOUT_SECONDS: seconds(120).describe('Hard limit of one recognition'),
  RECOGNITION_PAGE_SECONDS: seconds(10).describe(
    'Hard limit of opening a page of a PDF; twice that bounds opening a file, and work that brings no text',
  ),
  RECOGNITION_PDF_PAGES: count(50).describe('Pages of a PDF that are read, from the first'),
  HOLD_JOBS: z.stringbool().default(false).describe('Start with jobs held, as --hold-jobs does: none is carried out'),
  SHUTDOWN_SECONDS: seconds(15).describe('How long a stopping process waits for what is under way'),
})

/** How many files may be read at once: a core stays with the calls, and a reader may take 2 GiB before it is ended. */
export function recognitionWorkersFor(cores: number, bytes: number): number {
  return Math.max(1, Math.min(cores - 1, Math.floor(bytes / (3 * 1024 * MiB)), 8))
}

/** Of the container where it has a limit, else of the machine. */
function memoryBytes(): number {
  const constrained = process.constrainedMemory()
  return constrained > 0 ? Math.min(constrained, totalmem()) : totalmem()
}

export interface Config {
  readonly host: string
  readonly port: number
  readonly portalPort: number
  readonly mailPort: number
  readonly publicUrl: string
  /** An origin. */
  readonly portalUrl: string
  /** The installation's own sender; undefined: mails stay on this machine. */
  readonly mail: { readonly url: string; readonly from: string } | undefined
  /** The same of SMS. */
  readonly sms: { readonly url: string; readonly from: string } | undefined
  readonly tenantDomain: string
  /** CIDRs. */
  readonly trustedProxies: readonly string[]
  /** Absolute path. */
  readonly dataDir: string
  /** Absolute path of the per-user cache, `<XDG_CACHE_HOME>/fieldloop`. */
  readonly cacheDir: string
  readonly database: {
    readonly url: string | undefined
    readonly directUrl: string | undefined
    readonly appUrl: string | undefined
    readonly lookupUrl: string | undefined
    readonly pool: number
  }
  readonly redisUrl: string | undefined
  readonly temporal: { readonly address: string | undefined; readonly namespace: string; readonly cliPath: string | undefined }
  readonly secretsKey: string | undefined
  readonly bootstrap: { readonly apiKey: string | undefined; readonly adminPassword: string | undefined }
  readonly outboundAllow: readonly string[]
  readonly corsOrigins: readonly string[]
  readonly oauthRedirectSchemes: readonly string[]
  readonly logLevel: string
  readonly limits: {
    readonly jsonBytes: number
    readonly mcpBytes: number
    readonly uploadBytes: number
    readonly answerBytes: number
    readonly mcpAnswerBytes: number
    readonly bulkRows: number
    readonly importColumns: number
    readonly callsPerMinute: number
    readonly startsPerMinute: number
    readonly bytesInFlight: number
    readonly stallSeconds: number
    readonly minBytesPerSecond: number
    readonly reportSeconds: number
  }
  readonly auditDays: number
  readonly recognition: {
    readonly workers: number
    readonly timeoutSeconds: number
    readonly pageSeconds: number
    readonly pdfPages: number
  }
  /** Whether jobs and recognitions only queue. */
  readonly holdsJobs: boolean
  readonly shutdownSeconds: number
}

export interface Setting {
  readonly name: string
  readonly description: string
  /** As text; undefined where the setting may be absent. */
  readonly fallback: string | undefined
}

/** Every setting by its environment name, for the documents. */
export function settings(): Setting[] {
  return Object.entries(environment.shape).map(([name, schema]) => {
    const fallback = schema.safeParse(undefined).data
    return { name, description: schema.description ?? '', fallback: fallback === undefined ? undefined : String(fallback) }
  })
}

/** Reads the settings. Throws one sentence that names every setting that is wrong. */
export function loadConfig(env: NodeJS.ProcessEnv = process.env): Config {
  const present = Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
  const parsed = environment.safeParse(present)
  if (!parsed.success) {
    const wrong = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`).join('; ')
    throw new Error(`The environment has settings that cannot be used. ${wrong}`)
  }
  const e = parsed.data
  if ((e.MAIL_URL === undefined) !== (e.MAIL_FROM === undefined))
    throw new Error('The environment has settings that cannot be used. MAIL_URL and MAIL_FROM: set both, or neither.')
  if ((e.SMS_URL === undefined) !== (e.SMS_FROM === undefined))
    throw new Error('The environment has settings that cannot be used. SMS_URL and SMS_FROM: set both, or neither.')
  const portalUrl = new URL(e.PORTAL_URL ?? `http://localhost:${e.PORTAL_PORT}`)
  return {
    host: e.HOST,
    port: e.PORT,
    portalPort: e.PORTAL_PORT,
    mailPort: e.MAIL_PORT,
    publicUrl: (e.PUBLIC_URL ?? `http://localhost:${e.PORT}`).replace(/\/+$/, ''),
    portalUrl: portalUrl.origin,
    mail: e.MAIL_URL === undefined || e.MAIL_FROM === undefined ? undefined : { url: e.MAIL_URL, from: e.MAIL_FROM },
    sms: e.SMS_URL === undefined || e.SMS_FROM === undefined ? undefined : { url: e.SMS_URL, from: e.SMS_FROM },
    tenantDomain: e.TENANT_DOMAIN ?? portalUrl.hostname,
    trustedProxies: parts(e.TRUSTED_PROXIES).flatMap((part) => asRange(part) ?? []),
    dataDir: resolve(e.DATA_DIR),
    cacheDir: join(e.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'fieldloop'),
    database: {
      url: e.DATABASE_URL,
      directUrl: e.DATABASE_DIRECT_URL,
      appUrl: e.DATABASE_APP_URL,
      lookupUrl: e.DATABASE_LOOKUP_URL,
      pool: e.DATABASE_POOL,
    },
    redisUrl: e.REDIS_URL,
    temporal: { address: e.TEMPORAL_ADDRESS, namespace: e.TEMPORAL_NAMESPACE, cliPath: e.TEMPORAL_CLI_PATH },
    secretsKey: e.SECRETS_KEY,
    bootstrap: { apiKey: e.BOOTSTRAP_API_KEY, adminPassword: e.BOOTSTRAP_ADMIN_PASSWORD },
    outboundAllow: parts(e.OUTBOUND_ALLOW).flatMap((part) => asRange(part) ?? []),
    corsOrigins: parts(e.CORS_ORIGINS),
    oauthRedirectSchemes: parts(e.OAUTH_REDIRECT_SCHEMES),
    logLevel: e.LOG_LEVEL,
    limits: {
      jsonBytes: e.MAX_JSON_BYTES,
      mcpBytes: e.MAX_MCP_BYTES,
      uploadBytes: e.MAX_UPLOAD_BYTES,
      answerBytes: e.MAX_ANSWER_BYTES,
      mcpAnswerBytes: e.MAX_MCP_ANSWER_BYTES,
      bulkRows: e.MAX_BULK_ROWS,
      importColumns: e.MAX_IMPORT_COLUMNS,
      callsPerMinute: e.CALLS_PER_MINUTE,
      startsPerMinute: e.STARTS_PER_MINUTE,
      bytesInFlight: e.MAX_BYTES_IN_FLIGHT,
      stallSeconds: e.STALL_SECONDS,
      minBytesPerSecond: e.MIN_BYTES_PER_SECOND,
      reportSeconds: e.REPORT_SECONDS,
    },
    auditDays: e.AUDIT_DAYS,
    recognition: {
      workers: e.RECOGNITION_WORKERS ?? recognitionWorkersFor(availableParallelism(), memoryBytes()),
      timeoutSeconds: e.RECOGNITION_TIMEOUT_SECONDS,
      pageSeconds: e.RECOGNITION_PAGE_SECONDS,
      pdfPages: e.RECOGNITION_PDF_PAGES,
    },
    holdsJobs: e.HOLD_JOBS,
    shutdownSeconds: e.SHUTDOWN_SECONDS,
  }
}
