/** The domain's door for the activities that deliver messages, for the mail listener, and for domains that send. */
export { claimDelivery, giveUpOn, recordOutcome, withoutKnown, type Order, type Outcome, type SmtpWay, type TwilioWay } from './delivery.ts'
export { mailboxOf, type NamedConversation, receiveMail } from './mail.ts'
export { openConversation } from './opening.ts'
export { findTarget } from './routes.ts'
export { addOutbound } from './send.ts'
export { addMedia, endIdleConversation, giveUpMedia, listMediaToFetch, type MediaToFetch } from './upkeep.ts'
export { failureOfTwilio } from './webhook.rules.ts'
