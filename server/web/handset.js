/** Shows what arrives at a handset while its page is open. */
const messages = document.querySelector('#messages')
const everyMs = 3_000

async function look() {
  // Nobody looks, or somebody is about to press what would be taken from under the finger.
  if (!messages || document.hidden || messages.contains(document.activeElement)) return
  const answer = await fetch(location.href)
  if (!answer.ok) return
  const next = new DOMParser().parseFromString(await answer.text(), 'text/html').querySelector('#messages')
  if (next && next.innerHTML !== messages.innerHTML) messages.replaceChildren(...next.childNodes)
}

if (messages) {
  messages.setAttribute('aria-live', 'polite')
  setInterval(() => void look().catch(() => undefined), everyMs)
}
