/** How the usual MCP hosts are told of this server, ready to be copied. */

export interface ClientConfiguration {
  readonly title: string
  readonly note: string
  readonly code: string
}

const inJson = (value: unknown) => JSON.stringify(value, undefined, 2)

/** The configurations for the endpoint `url`, with `YOUR_KEY` where the key belongs. */
export function clientConfigurations(url: string): ClientConfiguration[] {
  const { protocol, hostname } = new URL(url)
  // The bridge refuses plain HTTP except to the own machine, unless it is told.
  const isPlain = protocol === 'http:' && !['localhost', '127.0.0.1', '[::1]'].includes(hostname)
  const bridge = ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTH_HEADER}', ...(isPlain ? ['--allow-http'] : [])]
  return [
    {
      title: 'Claude Code',
      note: 'In a terminal, once:',
      code: `claude mcp add --transport http fieldloop ${url} \\\n  --header "Authorization: Bearer YOUR_KEY"`,
    },
    {
      title: 'Claude Desktop and other hosts that start a program',
      note: 'For hosts that cannot send a bearer header themselves: the bridge mcp-remote does it for them (needs Node). In claude_desktop_config.json, or where the host keeps its servers:',
      code: inJson({ mcpServers: { fieldloop: { command: 'npx', args: bridge, env: { AUTH_HEADER: 'Bearer YOUR_KEY' } } } }),
    },
    {
      title: 'VS Code',
      note: 'In .vscode/mcp.json; it asks for the key once and keeps it safely:',
      code: inJson({
        inputs: [{ type: 'promptString', id: 'fieldloop-key', description: 'Fieldloop API key', password: true }],
        servers: { fieldloop: { type: 'http', url, headers: { Authorization: 'Bearer ${input:fieldloop-key}' } } },
      }),
    },
    {
      title: 'Cursor',
      note: 'In ~/.cursor/mcp.json, or .cursor/mcp.json in a project:',
      code: inJson({ mcpServers: { fieldloop: { url, headers: { Authorization: 'Bearer YOUR_KEY' } } } }),
    },
    {
      title: 'Any other host',
      note: 'A server of the kind “Streamable HTTP” or “HTTP”, with this address and header:',
      code: `${url}\nAuthorization: Bearer YOUR_KEY`,
    },
  ]
}
