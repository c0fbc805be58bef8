/** The door of the schema: the definitions that ship with the product, and who is calling. */
export { productOffer } from './offers.ts'
export { findCaller } from './schema.store.ts'
