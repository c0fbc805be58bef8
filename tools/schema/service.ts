/** The definitions that ship with the product, for the documents about them. */
export { productOffer } from './offers.ts'
