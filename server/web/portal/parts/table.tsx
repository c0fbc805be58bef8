/**
 * A table that becomes one card a row where there is no room for columns: each cell carries its title. The roles are said, since a browser forgets them where the
 * style lays rows out otherwise.
 */
import type { ComponentChildren } from 'preact'

export interface Column<Row> {
  readonly title: string
  readonly of: (row: Row) => ComponentChildren
  /** Numbers, times, a word: on one line where there are columns. */
  readonly isShort?: boolean
  readonly sort?: { readonly now: 'ascending' | 'descending' | 'none'; readonly turn: () => void }
}

const signs = { ascending: '▲', descending: '▼', none: '' } as const

export function Table<Row>({
  label,
  none,
  rows,
  columns,
  keyOf,
}: {
  label: string
  none: string
  rows: readonly Row[]
  columns: readonly Column<Row>[]
  keyOf: (row: Row) => string | number
}) {
  if (rows.length === 0) return <p class="card">{none}</p>
  return (
    <div class="table" tabIndex={0} role="group" aria-label={label}>
      <table role="table">
        <thead role="rowgroup">
          <tr role="row">
            {columns.map(({ title, sort }) => (
              <th scope="col" role="columnheader" aria-sort={sort?.now}>
                {sort ? (
                  <button type="button" class="quiet" onClick={sort.turn}>
                    {title} <span aria-hidden="true">{signs[sort.now]}</span>
                  </button>
                ) : (
                  title
                )}
              </th>
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {rows.map((row) => (
            <tr role="row" key={keyOf(row)}>
              {columns.map(({ title, of, isShort }) => (
                <td role="cell" data-title={title} class={isShort ? 'short' : undefined}>
                  {of(row)}
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
