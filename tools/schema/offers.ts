/** What a tenant may install: what ships with the product, and what global administrators of other tenants have published. */
import type { TxContext } from '#platform/operation.ts'
import { loadReferences } from '#tools/properties/service.ts'

import { loadPortable } from './catalog-document.ts'
import type { PortableSource } from './portable.rules.ts'
import { productEntities } from './product-entities.ts'
import { productProperties } from './product-properties.ts'
import { listPublishedIds, listPublishers, seePublished } from './schema.store.ts'

export interface Offer extends PortableSource {
  readonly source: 'product' | 'published'
}

export const productOffer: Offer = { source: 'product', properties: productProperties, entities: productEntities }

/** Every offer, the product's first. */
export async function loadOffers(context: TxContext): Promise<Offer[]> {
  const { tx, tenantId } = context
  const references = await loadReferences(tx, tenantId)
  const offers: Offer[] = [productOffer]
  for (const publisher of await listPublishers(tx)) {
    // Of another tenant only what is published can be seen; of the caller's own the rest has to be left out here.
    await seePublished(tx, publisher)
    const portable = await loadPortable(tx, publisher, references)
    await seePublished(tx, null)
    const published = publisher === tenantId ? await listPublishedIds(tx, tenantId) : undefined
    const isPublished = ({ id }: { readonly id: number }) => published === undefined || published.has(id)
    offers.push({
      source: 'published',
      properties: portable.properties.filter(isPublished),
      entities: portable.entities.filter(isPublished),
    })
  }
  return offers
}
