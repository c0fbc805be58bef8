import { context, type Context, propagation, type Span, type SpanContext, trace } from '@opentelemetry/api'
import { afterAll, beforeAll, expect, it } from 'vitest'

import { activeTraceparent, inSpan } from '#platform/trace.ts'

const ended: { name: string; parentId: string | undefined; isError: boolean }[] = []

/** The least that an SDK registers: spans with ids, and the W3C header. */
function registerSdk(): void {
  let next = 1
  trace.setGlobalTracerProvider({
    getTracer: () =>
      ({
        startActiveSpan: (name: string, _options: unknown, parent: Context, work: (span: Span) => unknown) => {
          const parentId = trace.getSpanContext(parent)?.spanId
          const spanContext: SpanContext = { traceId: '1'.repeat(32), spanId: String(next++).padStart(16, '0'), traceFlags: 1 }
          let isError = false
          const span = {
            ...trace.wrapSpanContext(spanContext),
            spanContext: () => spanContext,
            setStatus: () => (isError = true),
            end: () => ended.push({ name, parentId, isError }),
          }
          return context.with(trace.setSpan(parent, span as unknown as Span), () => work(span as unknown as Span))
        },
      }) as never,
  })
  propagation.setGlobalPropagator({
    inject: (from, carrier: { traceparent?: string }) => {
      const spanContext = trace.getSpanContext(from)
      if (spanContext) carrier.traceparent = `00-${spanContext.traceId}-${spanContext.spanId}-01`
    },
    extract: (into, carrier: { traceparent?: string }) => {
      const [, traceId = '', spanId = ''] = (carrier.traceparent ?? '').split('-')
      return traceId ? trace.setSpanContext(into, { traceId, spanId, traceFlags: 1, isRemote: true }) : into
    },
    fields: () => ['traceparent'],
  })
}

beforeAll(() => expect(activeTraceparent()).toBeUndefined())
afterAll(() => {
  trace.disable()
  propagation.disable()
})

it('records nothing without an SDK, and continues the caller’s trace with one', async () => {
  expect(await inSpan('quiet', {}, async () => 1)).toBe(1)
  expect(ended).toEqual([])
  registerSdk()
  const caller = `00-${'2'.repeat(32)}-${'3'.repeat(16)}-01`
  await inSpan('call', { transport: 'rest' }, async () => 2, caller)
  await expect(inSpan('failing', {}, () => Promise.reject(new Error('no')))).rejects.toThrow('no')
  expect(ended).toEqual([
    { name: 'call', parentId: '3'.repeat(16), isError: false },
    { name: 'failing', parentId: undefined, isError: true },
  ])
})
