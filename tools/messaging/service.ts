/** The domain's door for the activities that deliver messages, for the mail listener, and for domains that send. */
export { claimDelivery, giveUpOn, recordOutcome, withoutKnown, type Order, type Outcome } from './delivery/delivery.ts'
export { mailboxOf, type NamedConversation, receiveMail } from './delivery/mail.ts'
export { openConversation } from './conversations/opening.ts'
export { findTarget } from './conversations/routes.ts'
export { addOutbound } from './conversations/send.ts'
export { addMedia, endIdleConversation, giveUpMedia, listMediaToFetch, type MediaToFetch } from './delivery/upkeep.ts'
export { providersOf } from './providers/index.ts'
export { addStandIns, takeHandsetPlan } from './handsets/handsets.ts'
