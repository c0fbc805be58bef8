/** What was typed, kept on this device until it has arrived: in the browser's own database, which holds files too. */

/** @typedef {{ version: string, key: string, entries: [string, string | File][], isWaiting: boolean }} Draft */

/** @returns {Promise<IDBDatabase>} */
function open() {
  return new Promise((resolve, reject) => {
    const request = indexedDB.open('links', 1)
    request.onupgradeneeded = () => request.result.createObjectStore('drafts')
    request.onsuccess = () => resolve(request.result)
    request.onerror = () => reject(request.error)
  })
}

/**
 * @template T
 * @param {IDBTransactionMode} mode
 * @param {(store: IDBObjectStore) => IDBRequest<T>} work
 * @returns {Promise<T | undefined>}
 */
async function within(mode, work) {
  // A browser that keeps nothing (a private window, a full disk) must still let its person answer.
  try {
    const database = await open()
    return await new Promise((resolve, reject) => {
      const transaction = database.transaction('drafts', mode, { durability: 'strict' })
      const request = work(transaction.objectStore('drafts'))
      transaction.oncomplete = () => resolve(request.result)
      transaction.onabort = () => reject(transaction.error)
    }).finally(() => database.close())
  } catch {
    return undefined
  }
}

/** @param {string} link @returns {Promise<Draft | undefined>} */
export const readDraft = (link) => within('readonly', (store) => store.get(link))
/** @param {string} link @param {Draft} draft */
export const keepDraft = (link, draft) => within('readwrite', (store) => store.put(draft, link))
/** @param {string} link */
export const dropDraft = (link) => within('readwrite', (store) => store.delete(link))
