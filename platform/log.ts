/** Structured logs on stderr, with secrets masked wherever they stand in a logged object. */
import { pino, type Logger } from 'pino'

const secretNames = [
  'authorization',
  'apiKey',
  'api_key',
  'password',
  'secret',
  'secrets',
  'token',
  'authToken',
  'secretHash',
  'cookie',
  'sig',
]
const paths = secretNames.flatMap((name) => [name, `*.${name}`, `*.*.${name}`, `*.*.*.${name}`, `headers["${name}"]`])

/** The root logger. `level` is a pino level name; `silent` for tests. */
export function createLog(level: string): Logger {
  return pino(
    {
      level,
      base: null,
      timestamp: pino.stdTimeFunctions.isoTime,
      redact: { paths, censor: '[masked]' },
      formatters: { level: (label) => ({ level: label }) },
      serializers: { err: pino.stdSerializers.err },
    },
    pino.destination({ dest: 2, sync: true }),
  )
}

export type { Logger } from 'pino'
