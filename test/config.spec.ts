/** Settings that cannot be used are named at the start, and not found out by somebody's call. */
import { expect, it } from 'vitest'

import { loadConfig, recognitionWorkersFor } from '#platform/config.ts'
import { isAllowedAddress } from '#platform/outbound.ts'

it.each(['abc', '10.0.0.0/33', '::1/129', '10.0.0.0/8/8', '10.0.0.0/', '10.0.0.0/8 192.168.0.0/16', '127.1', 'localhost'])(
  'refuses OUTBOUND_ALLOW=%s by its name',
  (list) => {
    expect(() => loadConfig({ OUTBOUND_ALLOW: list })).toThrow(/OUTBOUND_ALLOW/)
  },
)

it('takes ranges and single addresses in OUTBOUND_ALLOW, with spaces between or a comma too many', () => {
  const config = loadConfig({ OUTBOUND_ALLOW: ' 10.0.0.0/8, 127.0.0.1,::1 ,fd00::/8,' })
  expect(config.outboundAllow).toEqual(['10.0.0.0/8', '127.0.0.1/32', '::1/128', 'fd00::/8'])
  expect(['10.9.9.9', '127.0.0.1', '::1', 'fd12::1'].every((address) => isAllowedAddress(config, address))).toBe(true)
  expect(isAllowedAddress(config, '127.0.0.2')).toBe(false)
  expect(loadConfig({}).outboundAllow).toEqual([])
})

it.each(['ops.example.com', 'ftp://ops.example.com', 'https://', 'https://ops.example.com/?a=1', 'https://me:secret@ops.example.com'])(
  'refuses PUBLIC_URL=%s by its name',
  (address) => {
    expect(() => loadConfig({ PUBLIC_URL: address })).toThrow(/PUBLIC_URL/)
  },
)

it('takes a PUBLIC_URL with a path, and drops the slash at its end', () => {
  expect(loadConfig({ PUBLIC_URL: 'https://ops.example.com/fieldloop/' }).publicUrl).toBe('https://ops.example.com/fieldloop')
  expect(loadConfig({ PUBLIC_URL: 'http://10.0.0.5:4000' }).publicUrl).toBe('http://10.0.0.5:4000')
})

it('takes origins as a browser sends them, and refuses what could never be one', () => {
  expect(loadConfig({ CORS_ORIGINS: 'https://app.example.com, http://localhost:5173' }).corsOrigins).toEqual([
    'https://app.example.com',
    'http://localhost:5173',
  ])
  expect([loadConfig({}).corsOrigins, loadConfig({ CORS_ORIGINS: '*' }).corsOrigins]).toEqual([[], ['*']])
  for (const wrong of ['app.example.com', 'https://app.example.com/', 'https://*.example.com', 'HTTPS://app.example.com', 'null'])
    expect(() => loadConfig({ CORS_ORIGINS: wrong })).toThrow(/CORS_ORIGINS: origins such as/)
})

it.each([
  ['PORT', 'abc', /^The environment has settings that cannot be used\. PORT: a whole number from 0 to 65535 is needed, not "abc"$/],
  ['PORT', '65536', /PORT: a whole number from 0/],
  ['MAIL_PORT', '-1', /MAIL_PORT: a whole number/],
  ['PORTAL_PORT', '4e3', /PORTAL_PORT: a whole number/],
  ['DATABASE_POOL', '0', /DATABASE_POOL: a whole number from 1/],
  ['DATABASE_POOL', '1e3', /DATABASE_POOL: a whole number/],
  ['MAX_UPLOAD_BYTES', '0x10', /MAX_UPLOAD_BYTES: a whole number/],
  ['STALL_SECONDS', '3000000', /STALL_SECONDS: a whole number from 1 to 86400/],
  ['DATABASE_URL', 'localhost:5432', /DATABASE_URL: an address such as postgres:/],
  ['REDIS_URL', 'localhost', /REDIS_URL: an address such as redis:/],
  ['TEMPORAL_ADDRESS', 'http://temporal:7233', /TEMPORAL_ADDRESS: host:port/],
])('refuses %s=%s in one sentence that says what it takes', (name, value, sentence) => {
  expect(() => loadConfig({ [name]: value })).toThrow(sentence)
})

it('reads as many files at once as there are cores and memory for, unless RECOGNITION_WORKERS says', () => {
  const gib = 1024 ** 3
  const workers = ([cores, memory]: readonly [number, number]) => recognitionWorkersFor(cores, memory * gib)
  expect(
    (
      [
        [1, 64],
        [2, 8],
        [8, 64],
        [8, 7],
        [64, 512],
      ] as const
    ).map(workers),
  ).toEqual([1, 1, 7, 2, 8])
  expect(loadConfig({ RECOGNITION_WORKERS: '5' }).recognition.workers).toBe(5)
  expect(loadConfig({}).recognition.workers).toBeGreaterThanOrEqual(1)
})
