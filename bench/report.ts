/** What a run found, as a table with the aims. */
import type { Cost, McpResult, RestResult } from './calls.ts'
import type { ClaimResult } from './outbox.ts'
import { round } from './statistics.ts'
import type { WakingResult } from './waking.ts'
import type { WorkflowResult } from './workflows.ts'

export interface BenchResult {
  readonly date: string
  readonly machine: { readonly cpus: number; readonly model: string; readonly memoryGb: number; readonly node: string }
  readonly seconds: number
  readonly rest: readonly RestResult[]
  readonly mcp: readonly McpResult[]
  readonly waking: WakingResult
  readonly claims: readonly ClaimResult[]
  readonly workflows: WorkflowResult | { readonly skipped: string }
}

type Row = readonly [measure: string, found: string, aim: string, met: string]

function row(measure: string, found: number, aim: number | undefined, unit: string): Row {
  const met = aim === undefined ? '' : found <= aim ? 'yes' : 'no'
  return [measure, `${round(found)}${unit}`, aim === undefined ? '' : `≤ ${aim}${unit}`, met]
}

function aimRows({ rest, mcp, waking, claims, workflows }: BenchResult): Row[] {
  const skipped = 'skipped' in workflows
  return [
    ...rest.map((one) => row(`REST ${one.name}`, one.ratio, one.aim, ' × bare')),
    ...mcp.map((one) => row(one.name, one.ratio, one.aim, ' × REST')),
    skipped
      ? ['commit to first activity, p50', 'skipped', '≤ 25 ms', '']
      : row('commit to first activity, p50', workflows.commitToFirstActivity.p50, 25, ' ms'),
    row(`send to wake with ${waking.awaits} open awaits, p50`, waking.sendToWake.p50, 5, ' ms'),
    ...claims.map((one) => row(`claim of the relay, ${one.name}`, one.ratio, one.aim, ' × 1,000 waiting')),
  ]
}

function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}

const ms = (value: number) => String(round(value))
const cells = (cost: Cost) => [ms(cost.node), ms(cost.postgres)]

/** Markdown, which is also what the terminal shows. */
export function report(result: BenchResult): string {
  const { machine, rest, mcp, waking, claims, workflows } = result
  const parts = [
    `# Benchmark of ${result.date.slice(0, 10)}`,
    `${machine.cpus} cores (${machine.model}), ${Math.round(machine.memoryGb)} GB, Node ${machine.node}; ${Math.round(result.seconds)} s. Made by \`npm run bench\`. Trust the ratios, not the absolute figures.`,
    table(['measure', 'found', 'aim', 'met'], aimRows(result)),
    '## REST against the bare client',
    'CPU in ms per call, medians of rounds that take turns. The ratio is (Node + PostgreSQL − echo) / (bare Node + PostgreSQL). The bare client sends the statements of the same calls, captured, each transaction in one go; both databases hold the same afterwards.',
    table(
      ['call', 'Node', 'PostgreSQL', 'echo', 'bare Node', 'bare PostgreSQL', 'ratio', 'body', 'answer', 'calls'],
      rest.map((one) => [
        one.name,
        ...cells(one.ours),
        ms(one.echo),
        ...cells(one.bare),
        ms(one.ratio),
        `${one.bodyBytes} B`,
        `${one.answerBytes} B`,
        String(one.callsPerSide),
      ]),
    ),
    '## MCP against REST',
    table(
      ['call', 'MCP Node', 'MCP PostgreSQL', 'REST Node', 'REST PostgreSQL', 'ratio'],
      mcp.map((one) => [one.name, ...cells(one.mcp), ...cells(one.rest), ms(one.ratio)]),
    ),
    '## Waiting',
    `${waking.awaits} open awaits, ${waking.replies} replies one after the other: from sending a reply to the answer of its await p50 ${ms(waking.sendToWake.p50)} ms, p99 ${ms(waking.sendToWake.p99)} ms, of which saving the reply takes p50 ${ms(waking.sendToSaved.p50)} ms. The server's memory went from ${Math.round(waking.serverBefore)} to ${Math.round(waking.serverDuring)} MB.`,
    '## The relay',
    'Milliseconds to pick, lease and end a batch of 16, medians of rounds that take turns.',
    table(
      ['what waits', 'ms', 'ratio'],
      claims.map((one) => [one.name, ms(one.ms), ms(one.ratio)]),
    ),
    '## Workflows',
  ]
  if ('skipped' in workflows) parts.push(`Skipped. ${workflows.skipped}`)
  else {
    const { saveToRecognised: recognised, commitToFirstActivity: first, atRest } = workflows
    parts.push(
      `Save to recognised (a photograph of a sign: its text and what it shows), ${recognised.count} runs: p50 ${ms(recognised.p50)} ms, slowest ${ms(recognised.max)} ms.`,
      `Commit to first activity, ${first.count} runs: p50 ${ms(first.p50)} ms, p99 ${ms(first.p99)} ms.`,
      `Memory at rest: server ${Math.round(atRest.server)} MB, PostgreSQL ${Math.round(atRest.postgres)} MB, Temporal ${Math.round(atRest.temporal)} MB, others ${Math.round(atRest.others)} MB.`,
    )
  }
  return `${parts.join('\n\n')}\n`
}
