/** Task queues: workflows, ordinary activities, recognition in its own process, messages, and bulk jobs. */
export const taskQueues = { workflows: 'wf', activities: 'act', recognition: 'cpu', messages: 'msg', jobs: 'sync' } as const
