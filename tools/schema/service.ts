/** The door of the schema: the definitions that ship with the product, making those of a document, and who is calling. */
export { productOffer } from './offers.ts'
export { findCaller } from './schema.store.ts'
export { importDocument } from './importing.ts'
export { wholeDocument } from './catalog-document.ts'
