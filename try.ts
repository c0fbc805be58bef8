import { createDocsSearch } from '#tools/docs/search.ts'
import { corpusPages } from '#tools/docs/corpus.ts'
import { createLog } from '#platform/log.ts'
import { loadConfig } from '#platform/config.ts'
const keep = setInterval(() => {}, 1000)
const t0 = performance.now()
const s = createDocsSearch({ pages: corpusPages(), cacheDir: loadConfig().cacheDir, log: createLog('debug') })
console.log('index', performance.now() - t0)
const show = async (q: string) => { const t = performance.now(); const h = await s.find(q, 4); console.log(q, Math.round(performance.now()-t)); for (const { passage, score } of h) console.log('   ', score.toFixed(3), passage.page.path, passage.section.anchor) }
await show('how do I send a text to a worker')
let max = 0, last = performance.now(); const lag = setInterval(() => { const n = performance.now(); max = Math.max(max, n - last - 5); last = n }, 5)
console.log('ready', await s.prepare(), performance.now() - t0, 'max lag', max); clearInterval(lag)
for (const q of ['how do I send a text to a worker', 'the person does not want texts any more', 'watermark_reset', 'what changed since yesterday', 'read the words on a photo', 'create_upload_url', '409', 'which port does it listen on','undo a deletion', 'give a colleague a key that can only look']) await show(q)
await s.end(); clearInterval(keep); console.log(process.memoryUsage().rss/1e6)
