/** Structured logs on stderr, with secrets masked wherever they stand in a line. */
import { pino, type Logger } from 'pino'

const mask = '[masked]'

/** Names of fields that hold a secret, in whatever case and however deep. `credentialId` and the like are none. */
const secretName = /authorization|cookie|passw|passphrase|secret|token|api[-_]?key|signature|sealed|^sig$/i

/** Secrets inside of texts: parameters of URLs, the users of addresses, credentials of headers, keys of ours, one-time upload addresses. */
const secretText =
  /([?&;](?:sig|signature|token|access_token|key|api_?key|password|secret)=)[^&#\s"'<>\\]+|(:\/\/[^\s/:@"]*:)[^\s/@"\\]+(?=@)|\b(Bearer|Basic) +[\w.~+/=-]{6,}|\b(flk_)\w{8,}|(\/api\/v1\/uploads\/)[^\s/?"\\]+/gi

// What lies deeper or comes later tells nobody anything, and a line must end.
const maxDepth = 8
const maxElements = 200

function withoutSecrets(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (depth > maxDepth) return '[deeper]'
  if (value instanceof Error) return withoutSecrets(pino.stdSerializers.err(value), depth)
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`
  if (Array.isArray(value)) return value.slice(0, maxElements).map((element) => withoutSecrets(element, depth + 1))
  if ('toJSON' in value && typeof value.toJSON === 'function') return value
  const shown: Record<string, unknown> = {}
  for (const [name, part] of Object.entries(value).slice(0, maxElements))
    shown[name] = secretName.test(name) && part !== null && part !== undefined ? mask : withoutSecrets(part, depth + 1)
  return shown
}

// Of an object, an object comes back.
const shownFields = (fields: object) => withoutSecrets(fields, 0) as Record<string, unknown>

const maskText = (line: string) =>
  line.replace(
    secretText,
    (_whole, ...groups: (string | undefined)[]) => `${groups.slice(0, 5).find((group) => group !== undefined) ?? ''}${mask}`,
  )

function stderr(): (line: string) => void {
  // What cannot be written is kept up to a bound, tried again with the next line, and then dropped.
  const destination = pino.destination({ dest: 2, sync: true, maxLength: 1024 * 1024 })
  // A log that cannot be written, on a full disk say, must not stop what it tells of: without a listener it would be thrown at whoever logs.
  destination.on('error', () => {})
  return (line) => void destination.write(line)
}

/** The root logger. `level` is a pino level name; `silent` for tests. Lines go to `write` instead of stderr where it is given. */
export function createLog(level: string, write?: (line: string) => void): Logger {
  const send = level === 'silent' ? () => {} : (write ?? stderr())
  return pino(
    {
      level,
      base: null,
      // withoutSecrets has made plain objects of errors.
      serializers: { err: (shown: unknown) => shown },
      timestamp: pino.stdTimeFunctions.isoTime,
      formatters: {
        level: (label) => ({ level: label }),
        log: shownFields,
      },
    },
    { write: (line: string) => send(maskText(line)) },
  )
}

export type { Logger } from 'pino'
