/** Tries a save out: all of it is done, and then undone, so that it is told what the save itself would tell. */
import type { StagedContext, TxContext } from '#platform/operation.ts'
import type { Finding } from '#platform/validation.ts'

/** Thrown to have a transaction undone. */
class Tried extends Error {
  override readonly name = 'Tried'
  readonly findings: readonly Finding[]

  constructor(findings: readonly Finding[]) {
    super('A save was tried out')
    this.findings = findings
  }
}

export async function tryOut(
  staged: StagedContext,
  work: (context: TxContext) => Promise<readonly Finding[]>,
): Promise<readonly Finding[]> {
  try {
    return await staged.inTransaction(async (context) => {
      throw new Tried(await work(context))
    })
  } catch (error) {
    if (error instanceof Tried) return error.findings
    throw error
  }
}
