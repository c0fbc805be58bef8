/** The records and the reader that the guide on tokens shows its examples with. */
import type { Rendering } from '#platform/tokens/rendering.ts'

export const berlin: Rendering = {
  locale: 'en-US',
  timeZone: 'Europe/Berlin',
  nowMs: Date.parse('2026-02-27T12:00:00Z'),
  labelOf: (names, value) => (names.join('.') === 'WorkOrder.Status' && value === 'in_progress' ? 'In progress' : undefined),
}

export const scope = {
  WorkOrder: {
    Number: 'WO-7',
    Status: 'in_progress',
    Due: '2026-03-01',
    Planned: '2026-03-01T09:30:00Z',
    Amount: 1234.5,
    Share: 0.256,
    Done: true,
    Note: null,
    Tags: ['urgent', 'roof'],
    PhotoBytes: 1_536_000,
    Page: 'https://example.com/wo/7',
    Description: '  Roof leaks over the loading bay  ',
  },
  Site: { Name: 'Mill & Sons', Phone: '+4930123456' },
  readings: [
    { Value: 1.5, Unit: 'bar' },
    { Value: 2.25, Unit: 'bar' },
    { Value: 4, Unit: 'bar' },
  ],
}
