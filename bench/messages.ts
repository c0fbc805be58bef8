/** What the bench and its child processes say to each other. */

export interface Statement {
  readonly text: string
  readonly parameters: readonly unknown[]
}

/** One transaction: statements that travel together on one connection. */
export type Transaction = readonly Statement[]

export type ToBare =
  | { readonly type: 'calls'; readonly calls: readonly (readonly Transaction[])[] }
  | { readonly type: 'run'; readonly from: number; readonly count: number; readonly connections: number }

/** What a run did, for comparing it with what the product did. */
export interface Work {
  readonly inserted: number
  readonly updated: number
  /** Of the JSON texts that were read as the answer. */
  readonly readBytes: number
}

export type FromBare =
  | { readonly type: 'ready' }
  | { readonly type: 'done'; readonly work: Work }
  | { readonly type: 'failed'; readonly message: string }
