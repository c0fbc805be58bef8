/** The product's own files and what they import, as the tests of the architecture see them. */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

import { type ParseResult, parseSync } from 'oxc-parser'

export const root = resolve(import.meta.dirname, '../..')
const rooms = ['platform', 'tools', 'workflows', 'activities', 'server'] as const

export interface Import {
  readonly from: string
  /** A path from the root, or a package's name. */
  readonly to: string
  readonly isPackage: boolean
  readonly isType: boolean
  /** The values that are taken, by the names that `to` exports them under; `*` where that is not said. */
  readonly values: readonly string[]
}

function filesOf(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name) && !entry.parentPath.includes('server/web'))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)))
}

/** Every file of the product, by its path from the root. */
export const files: readonly string[] = rooms.flatMap(filesOf)

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8')
}

const parsed = new Map<string, ParseResult>()

export function parse(file: string): ParseResult {
  const result = parsed.get(file) ?? parseSync(file, textOf(file))
  parsed.set(file, result)
  return result
}

/** A path from the root, or a package's name; of a part of Node the whole of it. */
function targetOf(file: string, specifier: string): { to: string; isPackage: boolean } {
  if (specifier.startsWith('#')) return { to: specifier.slice(1), isPackage: false }
  if (specifier.startsWith('.')) return { to: relative(root, resolve(root, dirname(file), specifier)), isPackage: false }
  const parts = specifier.startsWith('node:') ? 9 : specifier.startsWith('@') ? 2 : 1
  return { to: specifier.split('/').slice(0, parts).join('/'), isPackage: true }
}

interface Entry {
  readonly importName: { readonly name: string | null }
  readonly isType: boolean
}

const valuesOf = (entries: readonly Entry[]) => entries.filter((entry) => !entry.isType).map((entry) => entry.importName.name ?? '*')

function importsOf(file: string): Import[] {
  const { module } = parse(file)
  const found = [
    ...module.staticImports.map(({ moduleRequest, entries }) => ({
      specifier: moduleRequest.value,
      isType: entries.length > 0 && entries.every((entry) => entry.isType),
      values: valuesOf(entries),
    })),
    ...module.staticExports
      .flatMap(({ entries }) => entries)
      .flatMap((entry) =>
        entry.moduleRequest ? [{ specifier: entry.moduleRequest.value, isType: entry.isType, values: valuesOf([entry]) }] : [],
      ),
    ...module.dynamicImports.map(({ moduleRequest }) => ({
      specifier: textOf(file)
        .slice(moduleRequest.start, moduleRequest.end)
        .replaceAll(/^['"`]|['"`]$/g, ''),
      isType: false,
      values: ['*'],
    })),
  ]
  return found.map(({ specifier, isType, values }) => ({ from: file, ...targetOf(file, specifier), isType, values }))
}

export const imports: readonly Import[] = files.flatMap(importsOf)

/** Where a value is declared that a file exports: there, or in the file that it hands on from. */
export function homeOf(file: string, name: string): { readonly file: string; readonly name: string } {
  const handedOn = parse(file)
    .module.staticExports.flatMap(({ entries }) => entries)
    .find((entry) => entry.exportName.name === name)
  if (!handedOn?.moduleRequest) return { file, name }
  const { to, isPackage } = targetOf(file, handedOn.moduleRequest.value)
  return isPackage ? { file, name } : homeOf(to, handedOn.importName.name ?? name)
}

export const under = (path: string, folder: string) => path.startsWith(`${folder}/`)
