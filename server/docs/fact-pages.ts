/** Reference pages of what is no tool: roles, errors, settings. */
import { settings } from '#platform/config.ts'
import { type ErrorCode, errorCatalogue } from '#platform/errors.ts'
import { commonErrors, commonWriteErrors } from '#platform/operation.ts'
import type { Registry } from '#platform/registry.ts'
import { allows, roleBits, roleDescriptions, roleNames } from '#platform/roles.ts'

import { table } from './markdown.ts'
import { listedDomains, whoMayCall } from './wire.ts'

/** Who may call what. */
export function rolesPage(registry: Registry): string {
  const domains = listedDomains(registry)
  const all = domains.flatMap((domain) => domain.operations)
  const admitted = (bit: number) => all.filter(({ roleRule }) => roleRule.masks.length > 0 && allows(roleRule, bit)).length
  const roles = table(
    ['role', 'bit in roleFlag', 'what it is for', 'operations it opens by itself'],
    roleNames.map((name) => [`\`${name}\``, String(roleBits[name]), roleDescriptions[name], String(admitted(roleBits[name]))]),
  )
  const matrix = domains
    .filter(({ operations }) => operations.length > 0)
    .map(({ title, operations }) => {
      const rows = operations.map((operation) => [
        `\`${operation.name}\``,
        ...roleNames.map((name) => (operation.roleRule.masks.length === 0 ? '' : allows(operation.roleRule, roleBits[name]) ? '✓' : '')),
        whoMayCall(operation),
      ])
      return `## ${title}: who may call\n\n${table(['operation', ...roleNames, 'in words'], rows)}`
    })
  return `${[
    '# Roles',
    'Which role opens which operation. No role implies another, GlobalAdmin none; a caller sees only the tools that its roles open. ' +
      'Nobody grants a role that they lack. `whoami` answers the roles of a key as `roleFlag`, the sum of the bits.',
    '## The ten roles',
    roles,
    ...matrix,
  ].join('\n\n')}\n`
}

/** What a caller does about each code. */
const remedies: Readonly<Record<ErrorCode, string>> = {
  invalid_json: 'Send one JSON object, in UTF-8, without NUL, lone surrogates or numbers that a double cannot hold.',
  invalid_input: 'Correct each of `issues[]`: its `path` says where, `suggestion` is the nearest right name.',
  unknown_property: 'Take the name from `describe_entity`; `suggestion` holds the nearest.',
  unknown_entity: 'Take the name from `list_entities`; `suggestion` holds the nearest.',
  unauthenticated: 'Send `Authorization: Bearer <API key or session>`. It may be wrong, expired or revoked, or its user locked.',
  second_factor_required: 'Go on with `select_second_factor` and `verify_second_factor`, and the `signInToken` that this answers.',
  fresh_proof_required: 'Show again who you are with `prove_identity`, and send the call within 10 minutes.',
  forbidden:
    'The key lacks a role: `whoami` shows those it has, the page of roles those it needs. A signature that does not fit is forbidden too.',
  tenant_suspended: 'A global administrator activates the tenant with `activate_tenant`. Its data is kept.',
  not_found:
    'It is absent, was deleted, or belongs to another tenant; the answer is the same for all three. Look it up with the list operation.',
  method_not_allowed: 'Send a method that the header `Allow` names.',
  conflict:
    'Read what is there now, decide again, and send the call anew. Status 410 where it is over for ever, as a link that was used: ask for another.',
  already_exists: 'The name or key is taken. Choose another, or update the one that has it.',
  stale_layout: 'Fetch the layout again and send the record with its new version.',
  watermark_reset: 'Read everything again without a watermark, and go on from the one that this answers.',
  idempotency_conflict: 'Use a new key for a new call; a key belongs to one body.',
  idempotency_in_progress: 'Wait for the seconds of `Retry-After` and send the same call again.',
  unprocessable: 'The input is well formed and cannot be carried out as it is; `detail` says why.',
  too_large: 'Send less: smaller bodies, fewer rows, or the file through `create_upload_url`.',
  unsupported_type: 'Send a type that is taken here; `detail` names it.',
  rate_limited: 'Wait for the seconds of `Retry-After`. Bulk operations count as one call.',
  unavailable:
    'A service behind the platform is away. Wait for the seconds of `Retry-After` and send the same call again; `/readyz` shows which.',
  timeout:
    'Send the call again, with an idempotency key if it writes; ask for less at once. Status 408 where the request itself did not come in time: send it without pauses.',
  internal: 'Our mistake. Report the `requestId`; the log of that call says more.',
}

/** The catalogue of codes. */
export function errorsPage(registry: Registry): string {
  const operations = listedDomains(registry).flatMap((domain) => domain.operations)
  const codes = Object.keys(errorCatalogue).filter((code): code is ErrorCode => code in errorCatalogue)
  const names = (list: readonly ErrorCode[]) => list.map((code) => `\`${code}\``).join(', ')
  const sections = codes.map((code) => {
    const { status, title, retryable } = errorCatalogue[code]
    const own = operations.filter((operation) => operation.errors.includes(code)).map(({ name }) => `\`${name}\``)
    const isCommon = commonErrors.includes(code) || commonWriteErrors.includes(code)
    const where = isCommon || own.length === 0 || own.length > 30 ? '' : `Declared by ${own.join(', ')}.`
    const retry = retryable ? 'The same call may succeed later.' : 'The same call fails again until something changes.'
    return [`## ${code}`, `${title}. Status ${status}. ${retry}`, remedies[code], where].filter(Boolean).join('\n\n')
  })
  return `${[
    '# Error codes',
    'Every error is a body `application/problem+json` with a `code`; over MCP it is a tool result with `isError` and the same body. ' +
      'What each code means and what to do about it.',
    table(
      ['code', 'status', 'meaning', 'same call may succeed later'],
      codes.map((code) => [
        `[\`${code}\`](#${code})`,
        String(errorCatalogue[code].status),
        errorCatalogue[code].title,
        errorCatalogue[code].retryable ? 'yes' : '',
      ]),
    ),
    '## Errors of every operation',
    `${names(commonErrors)}; of every write also ${names(commonWriteErrors)}.`,
    ...sections,
  ].join('\n\n')}\n`
}

/** Every environment variable. */
export function settingsPage(): string {
  const rows = settings().map(({ name, description, fallback }) => [
    `\`${name}\``,
    fallback === undefined ? 'absent' : fallback === '' ? 'empty' : `\`${fallback}\``,
    description,
  ])
  return `${[
    '# Settings',
    'Every environment variable that the processes read, with its default. An empty value counts as absent; a value that cannot be used stops the start with a sentence that names it. Sizes are in bytes.',
    table(['variable', 'default', 'what it is for'], rows),
  ].join('\n\n')}\n`
}
