import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { describe, expect, it } from 'vitest'

import { loadConfig, settings } from '#platform/config.ts'

import { compose, composeText as text, product } from './support/compose.ts'

const root = resolve(import.meta.dirname, '..')
const services = Object.entries(compose.services)
const example = new Map(
  readFileSync(resolve(root, '.env.example'), 'utf8')
    .split('\n')
    .filter((line) => /^[A-Z_]+=/.test(line))
    .map((line) => [line.slice(0, line.indexOf('=')), line.slice(line.indexOf('=') + 1)] as const),
)

describe('docker-compose.yml', () => {
  it('runs PostgreSQL, Redis, Temporal with a PostgreSQL of its own, two API processes and two workers', () => {
    expect(services.map(([name]) => name).toSorted()).toEqual([
      'api-1',
      'api-2',
      'postgres',
      'redis',
      'temporal',
      'temporal-postgres',
      'worker-1',
      'worker-2',
    ])
    expect(product.map(([name, { command }]) => [name, command?.at(-1)])).toEqual([
      ['api-1', 'api'],
      ['api-2', 'api'],
      ['worker-1', 'worker'],
      ['worker-2', 'worker'],
    ])
    expect(compose.services['postgres']?.image).toMatch(/^postgres:18\.\d+$/)
  })

  it('pins every image and checks the health of all that others wait for', () => {
    const loose = services.filter(([, { image }]) => !/:\d+\.\d+/.test(image ?? ''))
    expect(loose).toEqual([])
    const waitedFor = new Set(services.flatMap(([, service]) => Object.keys(service.depends_on ?? {})))
    expect(waitedFor.size).toBe(4)
    expect([...waitedFor].filter((name) => !compose.services[name]?.healthcheck)).toEqual([])
    const unpatient = services
      .flatMap(([, service]) => Object.values(service.depends_on ?? {}))
      .filter(({ condition }) => condition !== 'service_healthy')
    expect(unpatient).toEqual([])
    expect(product.filter(([, { command, healthcheck }]) => command?.at(-1) === 'api' && !healthcheck)).toEqual([])
  })

  it('gives the product only settings that exist, and values that it takes', () => {
    const known = new Set(settings().map(({ name }) => name))
    expect(product).toHaveLength(4)
    for (const [, { environment = {} }] of product) {
      expect(Object.keys(environment).filter((name) => !known.has(name))).toEqual([])
      const filled = Object.entries(environment).map(([name, value]) => [
        name,
        value.replace(/\$\{(\w+)(:[-?])?[^}]*\}/g, (_whole, variable: string, need?: string) => {
          const given = example.get(variable) ?? ''
          return given === '' && need === ':?' ? 'a'.repeat(24) : given
        }),
      ])
      const config = loadConfig({ ...Object.fromEntries(filled), SECRETS_KEY: Buffer.alloc(32).toString('base64') })
      expect(config.database.url).toContain('@postgres:5432/')
      expect([config.temporal.address, config.redisUrl, config.host]).toEqual(['temporal:7233', 'redis://redis:6379', '0.0.0.0'])
    }
  })

  it('takes from .env only what .env.example explains, and keeps no secret in itself', () => {
    const asked = new Set([...text.matchAll(/\$\{(\w+)/g)].map((match) => match[1] ?? ''))
    expect([...asked].toSorted()).toEqual([...example.keys()].toSorted())
    const required = [...text.matchAll(/\$\{(\w*(?:PASSWORD|KEY)\w*)([^}]*)\}/g)]
    expect(required.length).toBeGreaterThan(5)
    // A default for a secret would be everybody's.
    expect(required.filter(([, , rest = '']) => rest.startsWith(':-'))).toEqual([])
    expect([...example].filter(([name, value]) => /PASSWORD|KEY/.test(name) && value !== '')).toEqual([])
  })

  it('has every setting in .env.example, once, with its default, and none that does not exist', () => {
    const lines = readFileSync(resolve(root, '.env.example'), 'utf8').split('\n')
    const listed = lines.flatMap((line) => {
      const [, name = '', value = ''] = /^(?:# )?([A-Z][A-Z_]+)=(.*)$/.exec(line) ?? []
      return name === '' ? [] : [{ name, value }]
    })
    // Passwords of services that are not the product; compose puts them into addresses.
    const others = ['POSTGRES_PASSWORD', 'DATABASE_PASSWORD', 'TEMPORAL_DATABASE_PASSWORD']
    expect(listed.map(({ name }) => name).toSorted()).toEqual([...settings().map(({ name }) => name), ...others].toSorted())
    const defaults = new Map(settings().map(({ name, fallback }) => [name, fallback ?? '']))
    const wrong = listed.filter(({ name, value }) => name !== 'PUBLIC_URL' && value !== (defaults.get(name) ?? ''))
    expect(wrong).toEqual([])
  })

  it('hands every setting on that .env may change, and sets or leaves the others', () => {
    const [, { environment = {} }] = product[0] ?? ['', {}]
    const handedOn = Object.keys(environment).filter((name) => example.has(name))
    expect([...example.keys()].filter((name) => settings().some((setting) => setting.name === name)).toSorted()).toEqual(
      handedOn.toSorted(),
    )
  })

  it('names only volumes and configurations that it declares, and publishes each port once', () => {
    const named = services.flatMap(([, service]) => (service.volumes ?? []).map((volume) => volume.split(':')[0] ?? ''))
    expect(named.filter((name) => !(name in compose.volumes))).toEqual([])
    const configs = services.flatMap(([, service]) => (service.configs ?? []).map(({ source }) => source))
    expect(configs.toSorted()).toEqual(Object.keys(compose.configs).toSorted())
    const ports = services.flatMap(([, service]) => (service.ports ?? []).map((port) => port.split(':')[0]))
    expect(new Set(ports).size).toBe(ports.length)
  })

  it('starts Temporal with the settings of the embedded one', () => {
    const embedded = readFileSync(resolve(root, 'server/boot/temporal.ts'), 'utf8')
    const flags = [...embedded.matchAll(/'((?:history|matching|system|frontend)\.\w+)=(\w+)'/g)].map(
      ([, name, value]) => `${name}: [{ value: ${value} }]`,
    )
    expect(flags.length).toBeGreaterThan(5)
    expect(flags.filter((flag) => !compose.configs['temporal']?.content.includes(flag))).toEqual([])
  })

  const hasCompose = spawnSync('docker', ['compose', 'version'], { stdio: 'ignore' }).status === 0
  it.skipIf(!hasCompose)('is accepted by docker compose itself', () => {
    const env = { ...process.env, ...Object.fromEntries([...example.keys()].map((name) => [name, 'a'.repeat(24)])) }
    const checked = spawnSync('docker', ['compose', '-f', 'docker-compose.yml', 'config', '--quiet'], { cwd: root, env, encoding: 'utf8' })
    expect(checked.stderr).toBe('')
    expect(checked.status).toBe(0)
  })
})
