/** docker-compose.yml as the tests read it: the product's services with their commands and environment. */
import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import { parse } from 'yaml'

export interface ComposeService {
  readonly image?: string
  readonly build?: string
  readonly command?: string[]
  readonly environment?: Record<string, string>
  readonly depends_on?: Record<string, { condition: string }>
  readonly healthcheck?: { test: string[] }
  readonly ports?: string[]
  readonly volumes?: string[]
  readonly configs?: { source: string }[]
}
export interface Compose {
  readonly services: Record<string, ComposeService>
  readonly volumes: Record<string, unknown>
  readonly configs: Record<string, { content: string }>
}

export const composeText = readFileSync(resolve(import.meta.dirname, '../../docker-compose.yml'), 'utf8')
// What the tests read of it is asserted in compose.spec.ts, field by field.
export const compose = parse(composeText, { merge: true }) as Compose
/** The services that run our own code, by name. */
export const product = Object.entries(compose.services).filter(([, service]) => service.build !== undefined)
