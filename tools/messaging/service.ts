/** The domain's door for the activities that deliver messages and for the mail listener. */
export { claimDelivery, giveUpOn, recordOutcome, withoutKnown, type Order, type Outcome, type SmtpWay, type TwilioWay } from './delivery.ts'
export { mailboxOf, type NamedConversation, receiveMail } from './mail.ts'
export { addMedia, endIdleConversation, giveUpMedia, listMediaToFetch, type MediaToFetch } from './upkeep.ts'
export { failureOfTwilio } from './webhook.rules.ts'
