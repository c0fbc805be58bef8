/** Where each package may be imported. */
import { under } from './sources.ts'

const anywhere = () => true
const within =
  (...places: readonly string[]) =>
  (file: string) =>
    places.some((place) => file === place || under(file, place))

/** The room of every package; a package without a line here has none, and may stand nowhere. */
export const packageRooms: Readonly<Record<string, (file: string) => boolean>> = {
  zod: anywhere,
  'oidc-provider': within('server/oauth'),
  'lru-cache': within('platform', 'tools', 'server'),
  '@huggingface/tokenizers': within('platform/embeddings'),
  '@opentelemetry/api': within('platform/trace.ts'),
  '@temporalio/client': within('platform/temporal.ts'),
  echarts: within('platform/charts'),
  'fastest-levenshtein': within('platform/suggest.ts'),
  ioredis: within('platform/redis.ts'),
  'ipaddr.js': within('platform/outbound.ts'),
  jose: within('platform/signed-tokens.ts', 'platform/portal-tokens.ts'),
  minisearch: within('platform/search'),
  'onnxruntime-node': within('platform/onnx.ts'),
  pino: within('platform/log.ts'),
  postgres: within('platform/db', 'platform/wake.ts'),
  'prom-client': within('platform/metrics.ts'),
  re2js: within('platform/patterns.ts'),
  undici: within('platform/outbound.ts', 'activities'),
  chardet: within('tools/instances/import'),
  croner: within('tools/schedules'),
  'file-type': within('tools/assets', 'activities/recognition'),
  hucre: within('tools/instances/import', 'tools/exports'),
  'libphonenumber-js': within('tools/entities', 'tools/users'),
  papaparse: within('tools/instances/import', 'tools/exports'),
  saxes: within('tools/instances/import'),
  '@temporalio/workflow': within('workflows'),
  '@gutenye/ocr-node': within('activities/recognition'),
  '@slack/web-api': within('activities/messaging'),
  '@temporalio/activity': within('activities'),
  'heic-decode': within('activities/recognition'),
  nodemailer: within('activities/messaging', 'activities/mails'),
  '@zxcvbn-ts/language-common': within('tools/auth/account'),
  '@simplewebauthn/server': within('tools/auth/factors'),
  otpauth: within('tools/auth/factors'),
  'pdfjs-dist': within('activities/recognition'),
  sharp: within('activities/recognition', 'platform/charts/child.ts', 'platform/images/child.ts'),
  'tesseract.js': within('activities/recognition'),
  twilio: within('activities/messaging'),
  'web-push': within('activities/messaging'),
  '@fastify/cors': within('server/http'),
  '@fastify/multipart': within('server/http'),
  '@modelcontextprotocol/server': within('server/mcp'),
  '@temporalio/worker': within('server/worker'),
  'beautiful-mermaid': within('server/docs', 'platform/diagrams'),
  fastify: within('server/http', 'server/portal'),
  entities: within('server/mail'),
  mailauth: within('server/mail'),
  'markdown-it': within('server/docs', 'tools/docs/markdown.rules.ts'),
  'postal-mime': within('server/mail'),
  'smtp-server': within('server/mail'),
  uqr: within('server/portal'),
}
