/** Types of steps: one literal says what a type is, one file of the same name carries it out, and nothing else does. */
import { readdirSync } from 'node:fs'
import { join } from 'node:path'

import { expect, it } from 'vitest'

import { performers } from '#activities/steps/index.ts'
import { stepTypes } from '#tools/workflows/step-types/registry.rules.ts'

import { root } from './support/sources.ts'

const fileOf = (name: string) => `${name.replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}.ts`
const filesIn = (folder: string) => readdirSync(join(root, folder))
const names = stepTypes.map(({ internalName }) => internalName)

it('are twenty, each with an id and a literal of its own', () => {
  expect(names).toHaveLength(20)
  expect(stepTypes.map(({ stepTypeId }) => stepTypeId)).toEqual(names.map((_, index) => index + 1))
  const literals = filesIn('tools/workflows/step-types').filter((file) => !file.startsWith('registry.'))
  expect(literals.toSorted()).toEqual(names.map(fileOf).toSorted())
})

it('are carried out by a file of the same name', () => {
  expect([...performers.keys()].toSorted()).toEqual(names.toSorted())
  const files = new Set(filesIn('activities/steps'))
  expect(names.filter((name) => !files.has(fileOf(name)))).toEqual([])
})

it('take the example that they show', () => {
  expect(stepTypes.filter(({ config, example }) => !config.safeParse(example).success)).toEqual([])
})
