/** The operations on handsets that stand in for people's. */
import type { Operation } from '#platform/operation.ts'

import { listHandsetMessages } from './list-handset-messages.ts'

export const handsetOperations: readonly Operation[] = [listHandsetMessages]
