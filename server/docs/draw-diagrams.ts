/** Draws the Mermaid of pages without a browser, for `npm run docs`: these drawings are committed. */
import { renderMermaidSVG } from 'beautiful-mermaid'

import { diagramPath, diagramsOf } from './diagrams.ts'

/** Without what asks a stranger for a font, or says by itself how it looks: the page's style does, in the light and in the dark. */
function plain(svg: string): string {
  return svg
    .replace(/<style>[\s\S]*?<\/style>\s*/, '')
    .replace(/^<svg ([^>]*?) width="[^"]*" height="[^"]*" style="[^"]*">/, '<svg $1 class="diagram">')
    .replaceAll(/ (?:data-[a-z-]+|font-family)="[^"]*"/g, '')
    .replaceAll(/(\d+\.\d)\d+/g, '$1')
}

/** Path below the corpus to drawing, of all Mermaid in these pages. */
export function drawnDiagrams(pages: readonly { readonly markdown: string }[]): Map<string, string> {
  const sources = pages.flatMap(({ markdown }) => diagramsOf(markdown))
  return new Map(sources.map((source) => [diagramPath(source), `${plain(renderMermaidSVG(source))}\n`]))
}
