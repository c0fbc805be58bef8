/** The workflow of the bare worker: three activities, one after the other. */
import { proxyActivities } from '@temporalio/workflow'

const { writeRow } = proxyActivities<{ writeRow(key: string): Promise<void> }>({ startToCloseTimeout: '1m' })

export async function threeRows(key: string): Promise<void> {
  for (const part of ['a', 'b', 'c']) await writeRow(`${key}-${part}`)
}
