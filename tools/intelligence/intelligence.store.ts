/** The SQL of recognition. */
import type { Tx } from '#platform/db/pool.ts'
import type { AnalysisRun, Findings } from '#platform/shapes/recognition.ts'

import type { AnalysisSettings, AttachmentAnalysis } from './intelligence.schema.ts'

export interface AnalysisRow {
  readonly analysisId: number
  readonly assetKey: string
  readonly entityId: number
  readonly eiRecordId: number
  readonly entityPropertyId: number
  readonly jobId: number
  readonly runNo: number
  readonly state: AttachmentAnalysis['state']
  readonly reason: string | null
  readonly settings: AnalysisSettings
  readonly found: Findings['state'] | null
  readonly ocr: AttachmentAnalysis['ocr'] | null
  readonly labels: AttachmentAnalysis['labels'] | null
  readonly model: string | null
  readonly durationMs: number | null
  readonly written: AttachmentAnalysis['written'] | null
  readonly queuedAt: string
  readonly startedAt: string | null
  readonly finishedAt: string | null
}

const columns = (tx: Tx) => tx`
  n.analysis_id, n.asset_key, n.entity_id, n.ei_record_id, n.entity_property_id, n.job_id, n.run_no, n.state, n.reason, n.settings,
  n.found, n.ocr, n.labels, n.model, n.duration_ms, n.written, n.queued_at, n.started_at, n.finished_at`

export interface NewAnalysis {
  readonly assetKey: string
  readonly entityId: number
  readonly eiRecordId: number
  readonly entityPropertyId: number
  readonly jobId: number
  readonly settings: unknown
}

/** Queues analyses, each (asset, record, property) once: one that exists is queued again, as its next run. In any order; no two may be of one. */
export async function upsertAnalyses(
  tx: Tx,
  tenantId: number,
  stamp: string,
  analyses: readonly NewAnalysis[],
): Promise<{ analysisId: number; jobId: number; runNo: number }[]> {
  return tx<{ analysisId: number; jobId: number; runNo: number }[]>`
    insert into platform.attachment_analysis as n
      (tenant_id, asset_key, entity_id, ei_record_id, entity_property_id, job_id, settings, queued_at)
    select ${tenantId}::int, "assetKey", "entityId", "eiRecordId", "entityPropertyId", "jobId", settings, ${stamp}::timestamptz
    from jsonb_to_recordset(${JSON.stringify(analyses)}::text::jsonb)
      as given ("assetKey" uuid, "entityId" int, "eiRecordId" bigint, "entityPropertyId" int, "jobId" bigint, settings jsonb)
    on conflict (tenant_id, asset_key, ei_record_id, entity_property_id) do update
      set job_id = excluded.job_id, run_no = n.run_no + 1, state = 'queued', reason = null, settings = excluded.settings,
        found = null, ocr = null, labels = null, model = null, duration_ms = null, written = null,
        queued_at = excluded.queued_at, started_at = null, finished_at = null
    returning n.analysis_id, n.job_id, n.run_no`
}

/** The jobs of these analyses that a new run takes the place of. */
export async function listOpenJobs(
  tx: Tx,
  tenantId: number,
  analyses: readonly Pick<NewAnalysis, 'assetKey' | 'eiRecordId' | 'entityPropertyId'>[],
): Promise<number[]> {
  const rows = await tx<{ jobId: number }[]>`
    select n.job_id
    from jsonb_to_recordset(${JSON.stringify(analyses)}::text::jsonb) as given ("assetKey" uuid, "eiRecordId" bigint, "entityPropertyId" int)
      join platform.attachment_analysis n on n.tenant_id = ${tenantId} and n.asset_key = given."assetKey" and n.ei_record_id = given."eiRecordId"
        and n.entity_property_id = given."entityPropertyId"
    where n.state in ('queued', 'running')`
  return rows.map((row) => row.jobId)
}

export interface AnalysisFilter {
  readonly eiRecordId?: number | undefined
  readonly entityPropertyIds?: readonly number[] | undefined
}

/** The one of the asset that was queued last. */
export async function findLatest(tx: Tx, tenantId: number, assetKey: string, filter: AnalysisFilter): Promise<AnalysisRow | undefined> {
  const [row] = await tx<AnalysisRow[]>`
    select ${columns(tx)} from platform.attachment_analysis n
    where n.tenant_id = ${tenantId} and n.asset_key = ${assetKey}
      ${filter.eiRecordId === undefined ? tx`` : tx`and n.ei_record_id = ${filter.eiRecordId}`}
      ${filter.entityPropertyIds === undefined ? tx`` : tx`and n.entity_property_id = any(${[...filter.entityPropertyIds]}::int[])`}
    order by n.queued_at desc, n.analysis_id desc
    limit 1`
  return row
}

export async function findAnalysis(tx: Tx, tenantId: number, analysisId: number): Promise<AnalysisRow | undefined> {
  const [row] = await tx<AnalysisRow[]>`
    select ${columns(tx)} from platform.attachment_analysis n where n.tenant_id = ${tenantId} and n.analysis_id = ${analysisId}`
  return row
}

export async function findByJob(tx: Tx, tenantId: number, jobId: number): Promise<AnalysisRow | undefined> {
  const [row] = await tx<AnalysisRow[]>`
    select ${columns(tx)} from platform.attachment_analysis n where n.tenant_id = ${tenantId} and n.job_id = ${jobId}`
  return row
}

/** Whose the run is, without holding it. */
export async function findPlace(tx: Tx, run: AnalysisRun): Promise<{ entityId: number; eiRecordId: number } | undefined> {
  const [row] = await tx<{ entityId: number; eiRecordId: number }[]>`
    select n.entity_id, n.ei_record_id from platform.attachment_analysis n
    where n.tenant_id = ${run.tenantId} and n.analysis_id = ${run.analysisId} and n.run_no = ${run.runNo}`
  return row
}

/** The row while this run of it is not over, held until the transaction ends. */
export async function lockRun(tx: Tx, run: AnalysisRun): Promise<AnalysisRow | undefined> {
  const [row] = await tx<AnalysisRow[]>`
    select ${columns(tx)} from platform.attachment_analysis n
    where n.tenant_id = ${run.tenantId} and n.analysis_id = ${run.analysisId} and n.run_no = ${run.runNo} and n.state in ('queued', 'running')
    for no key update`
  return row
}

export async function markRunning(tx: Tx, run: AnalysisRun, stamp: string): Promise<void> {
  await tx`
    update platform.attachment_analysis set state = 'running', started_at = coalesce(started_at, ${stamp})
    where tenant_id = ${run.tenantId} and analysis_id = ${run.analysisId}`
}

/** Keeps what a run has found; the run goes on until it is ended. False where it is over. */
export async function keepFindings(tx: Tx, run: AnalysisRun, findings: Findings): Promise<boolean> {
  const { count } = await tx`
    update platform.attachment_analysis
    set found = ${findings.state}, reason = ${findings.reason ?? null}, ocr = ${json(findings.ocr)}::text::jsonb, labels = ${json(findings.labels)}::text::jsonb,
      model = ${findings.model ?? null}, duration_ms = ${Math.round(findings.durationMs)}
    where tenant_id = ${run.tenantId} and analysis_id = ${run.analysisId} and run_no = ${run.runNo} and state = 'running'`
  return count > 0
}

// PostgreSQL's jsonb holds neither NUL nor half of a surrogate pair, and recognised text may hold either.
function json(value: unknown): string | null {
  if (value === undefined) return null
  return JSON.stringify(value, (_key, part: unknown) => (typeof part === 'string' ? part.replaceAll('\u0000', '').toWellFormed() : part))
}

/** Ends a run. Where it has read the file, what it found takes the place of what the file brought before. */
export async function endRun(
  tx: Tx,
  run: AnalysisRun,
  end: { state: Findings['state']; reason: string | null; at: string },
): Promise<void> {
  await tx`
    update platform.attachment_analysis
    set state = ${end.state}, reason = ${end.reason}, finished_at = ${end.at},
      text_part = case when ${end.state} = 'done' then left(ocr->>'text', 32768) else text_part end,
      labels_part = case when ${end.state} = 'done' then labels else labels_part end
    where tenant_id = ${run.tenantId} and analysis_id = ${run.analysisId}`
}

export async function noteWritten(tx: Tx, run: AnalysisRun, written: unknown): Promise<void> {
  await tx`
    update platform.attachment_analysis set written = ${JSON.stringify(written)}::text::jsonb
    where tenant_id = ${run.tenantId} and analysis_id = ${run.analysisId}`
}
