/** What is drawn at random is the same in every run, so that a run tells of what was changed; FIELDLOOP_TEST_SEED=7 draws something else. */
import fc from 'fast-check'

export const seed = Number(process.env['FIELDLOOP_TEST_SEED'] ?? 20_260_101)

fc.configureGlobal({ seed })
