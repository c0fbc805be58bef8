/** What the global set-up and the worlds agree on. FIELDLOOP_TEMPLATE lets two runs share one PostgreSQL. */
export const templateName = process.env['FIELDLOOP_TEMPLATE'] ?? 'fieldloop_template'
export const secretsKeyOfTests = Buffer.alloc(32, 7)
