/** The process that makes the classifier, so that its seconds of computing stop nobody else. */
import { makeClassifier } from './models.ts'

const [, , cacheDir] = process.argv
if (cacheDir === undefined) throw new Error('Give the cache directory.')
// Its parent's death ends it, rather than leaving it to compute for no one.
process.once('disconnect', () => process.exit(1))
await makeClassifier(cacheDir)
process.exit(0)
