/** The call behind a list, as a program makes it and as an agent does. */
import { texts } from '../texts/index.ts'
import { Copy } from './basics.tsx'

/** For a shell: what stands between single quotes is taken as it is, but for a quote. */
const quoted = (text: string) => `'${text.replaceAll("'", String.raw`'\''`)}'`

function curlOf(method: string, path: string, input: object): string {
  const origin = '$FIELDLOOP_URL'
  return `curl -X ${method} "${origin}${path}" \\\n  -H "Authorization: Bearer $FIELDLOOP_KEY" \\\n  -H 'Content-Type: application/json' \\\n  -d ${quoted(JSON.stringify(input))}`
}

function Sample({ title, code }: { title: string; code: string }) {
  return (
    <div class="sample">
      <div class="head">
        <h3>{title}</h3>
        <span class="acts">
          <Copy text={code} label={`${texts.copy}: ${title}`} />
        </span>
      </div>
      <pre tabIndex={0} role="group" aria-label={title}>
        <code>{code}</code>
      </pre>
    </div>
  )
}

export function CallSamples({
  tool,
  method,
  path,
  input,
  toolInput = input,
}: {
  tool: string
  method: string
  path: string
  input: object
  toolInput?: object
}) {
  return (
    <details class="card">
      <summary>{texts.sameCall}</summary>
      <Sample title="curl" code={curlOf(method, path, input)} />
      <Sample title={texts.asTool} code={JSON.stringify({ name: tool, arguments: toolInput }, undefined, 2)} />
    </details>
  )
}
