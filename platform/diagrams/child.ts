/** The thread that lays diagrams out: one drawing, then it is over. */
import { parentPort, workerData } from 'node:worker_threads'

import { renderMermaidSVG } from 'beautiful-mermaid'

/** Without what asks a stranger for a font. */
function plain(svg: string): string {
  return svg.replaceAll(/@import url\([^)]*\);?/g, '')
}

// Started by drawing.ts alone, with a text.
parentPort?.postMessage(plain(renderMermaidSVG(String(workerData))))
