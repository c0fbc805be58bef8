import { globSync, readFileSync } from 'node:fs'

import { configDefaults, defineConfig } from 'vitest/config'

import { patience } from './test/support/patience.ts'

/** By what they import: they come last, so that whoever has no Temporal yet hears of everything else before the minutes that its build takes. */
const onTemporal = globSync('test/**/*.spec.ts', { cwd: import.meta.dirname }).filter((file) =>
  /from '[^']*(?:support\/(?:temporal|week)|day\/stack|boot\/temporal(?:-binary)?)\.ts'/.test(
    readFileSync(`${import.meta.dirname}/${file}`, 'utf8'),
  ),
)

const common = {
  // Wide: what waits for something fails with what it waited for, long before.
  testTimeout: 180_000,
  expect: { poll: { timeout: patience.timeout, interval: patience.interval } },
  hookTimeout: 300_000,
  teardownTimeout: 30_000,
  // Two cores: more workers only wait for each other.
  maxWorkers: 2,
  pool: 'forks',
  env: { LOG_LEVEL: process.env['LOG_LEVEL'] ?? 'silent' },
} as const

export default defineConfig({
  test: {
    globalSetup: ['test/support/global-setup.ts'],
    maxWorkers: 2,
    reporters: ['default', './test/support/closing-line.ts'],
    projects: [
      {
        test: {
          ...common,
          name: 'alone',
          include: ['test/**/*.spec.ts'],
          exclude: [...configDefaults.exclude, ...onTemporal],
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...common,
          name: 'on Temporal',
          include: onTemporal,
          setupFiles: ['test/support/have-temporal.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
})
