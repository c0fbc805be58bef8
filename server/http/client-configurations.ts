/** How the usual MCP hosts are told of this server, ready to be copied. The guide “Connect an agent” shows the same; a test compares them. */

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
  // These hosts take fewer tools than a key of many roles sees.
  const catalog = `${url}?surface=catalog`
  // No host opens a browser for an address where its token would cross a network in the open.
  const withoutKey = isPlain
    ? []
    : [
        {
          title: 'Claude Code, without a key',
          note: 'Hosts that know OAuth need the address alone: they open a browser, you sign in and say what they may do. In a terminal, once, then /mcp in Claude Code:',
          code: `claude mcp add --transport http fieldloop ${url}`,
        },
        {
          title: 'Cursor and others, without a key',
          note: 'The same, in ~/.cursor/mcp.json or where the host keeps its servers:',
          code: inJson({ mcpServers: { fieldloop: { url: catalog } } }),
        },
      ]
  return [
    ...withoutKey,
    {
      title: 'Claude Code',
      note: 'In a terminal, once:',
      code: `claude mcp add --transport http fieldloop ${url} \\\n  --header "Authorization: Bearer YOUR_KEY"`,
    },
    {
      title: 'Claude Desktop and other hosts that start a program',
      note: 'For hosts that cannot send a bearer header themselves: the bridge mcp-remote does it for them (needs Node). In claude_desktop_config.json, or where the host keeps its servers; then start the host again:',
      code: inJson({ mcpServers: { fieldloop: { command: 'npx', args: bridge, env: { AUTH_HEADER: 'Bearer YOUR_KEY' } } } }),
    },
    {
      title: 'VS Code',
      note: 'In .vscode/mcp.json; it asks for the key once and keeps it safely. It takes 128 tools at a time, hence the catalog of tools:',
      code: inJson({
        inputs: [{ type: 'promptString', id: 'fieldloop-key', description: 'Fieldloop API key', password: true }],
        servers: { fieldloop: { type: 'http', url: catalog, headers: { Authorization: 'Bearer ${input:fieldloop-key}' } } },
      }),
    },
    {
      title: 'Cursor',
      note: 'In ~/.cursor/mcp.json, or .cursor/mcp.json in a project. It works best with some forty tools, hence the catalog of tools:',
      code: inJson({ mcpServers: { fieldloop: { url: catalog, headers: { Authorization: 'Bearer YOUR_KEY' } } } }),
    },
    {
      title: 'Windsurf',
      note: 'In ~/.codeium/windsurf/mcp_config.json. It takes 100 tools, hence the catalog of tools:',
      code: inJson({ mcpServers: { fieldloop: { serverUrl: catalog, headers: { Authorization: 'Bearer YOUR_KEY' } } } }),
    },
    {
      title: 'Codex',
      note: 'In ~/.codex/config.toml, with the key in the environment as FIELDLOOP_API_KEY:',
      code: `[mcp_servers.fieldloop]\nurl = "${url}"\nbearer_token_env_var = "FIELDLOOP_API_KEY"`,
    },
    {
      title: 'Gemini CLI',
      note: 'In ~/.gemini/settings.json:',
      code: inJson({ mcpServers: { fieldloop: { httpUrl: url, headers: { Authorization: 'Bearer YOUR_KEY' } } } }),
    },
    {
      title: 'Any other host',
      note: 'A server of the kind “Streamable HTTP” or “HTTP”, with this address and header:',
      code: `${url}\nAuthorization: Bearer YOUR_KEY`,
    },
  ]
}
