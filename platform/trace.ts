/**
 * Spans through OpenTelemetry's API. Nothing is recorded unless an operator loads an SDK into the process (`NODE_OPTIONS=--import …`); without one
 * every call here costs next to nothing.
 */
import { context, propagation, type Span, SpanStatusCode, trace } from '@opentelemetry/api'

const tracer = trace.getTracer('fieldloop')

export type SpanFacts = Readonly<Record<string, string | number | boolean>>

/** Runs `work` in a span of this name; what it throws marks the span and goes on. `traceparent` continues the trace of a caller. */
export async function inSpan<T>(name: string, facts: SpanFacts, work: () => Promise<T>, traceparent?: string | null): Promise<T> {
  const parent = traceparent ? propagation.extract(context.active(), { traceparent }) : context.active()
  return tracer.startActiveSpan(name, { attributes: { ...facts } }, parent, async (span: Span) => {
    try {
      return await work()
    } catch (error) {
      span.setStatus({ code: SpanStatusCode.ERROR })
      throw error
    } finally {
      span.end()
    }
  })
}

/** The W3C traceparent of the active span; undefined where nothing is recorded. */
export function activeTraceparent(): string | undefined {
  const carrier: { traceparent?: string } = {}
  propagation.inject(context.active(), carrier)
  return carrier.traceparent
}
