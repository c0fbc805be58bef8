/** llms.txt: what this is and where to read on, for a model that has only this address. */
import type { Registry } from '#platform/registry.ts'

import { listedDomains } from './wire.ts'

export interface PageEntry {
  readonly path: string
  readonly title: string
  readonly summary: string
}

/** The text over the registry and the pages, in their order. Addresses are relative to the host that serves it, or below `base` where another one does. */
export function llmsText(registry: Registry, pages: readonly PageEntry[], base = ''): string {
  const link = ({ path, title, summary }: PageEntry) => `- [${title}](${base}/docs/${path}): ${summary}`
  const under = (folder: string) => pages.filter(({ path }) => path.startsWith(`${folder}/`)).map(link)
  const tools = listedDomains(registry).map(({ name, title, operations }) => {
    const names = operations.filter(({ isTool }) => isTool).map((operation) => operation.name)
    return names.length === 0 ? undefined : `- ${title} (toolset ${name}): ${names.join(', ')}`
  })
  return `${[
    '# Fieldloop',
    '> A multi-tenant operations platform that AI agents can run: typed records with history, files with recognition, messages to people with their replies, jobs. One registry of operations, over MCP and REST.',
    [
      base === ''
        ? '- MCP (Streamable HTTP): /mcp on this host, header "Authorization: Bearer <API key>"'
        : `- MCP (Streamable HTTP): ${base}/mcp, header "Authorization: Bearer <API key>"`,
      base === ''
        ? '- REST: /api/v1 on this host, described at /openapi.json'
        : `- REST: ${base}/api/v1, described at ${base}/openapi.json\n- On this host, with a credential: /llms-full.txt, /api/postman.json, /api/enrichments.json, /api/response-shapes.json`,
      '- Read a page below: GET its address, or the tool docs_read with {"path"} (what follows /docs/), or the MCP resource docs://<path>. Ask a question: docs_search.',
    ].join('\n'),
    '## Guides',
    under('guides').join('\n'),
    '## Tools',
    tools.filter((line) => line !== undefined).join('\n'),
    '## Reference',
    under('reference').join('\n'),
    '## Decisions',
    under('decisions').join('\n'),
  ].join('\n\n')}\n`
}
