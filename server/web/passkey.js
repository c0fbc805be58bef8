/** Has the browser show a passkey, or make a new one, and sends what it answers. */
const form = document.querySelector('#passkey')

/** @param {HTMLFormElement} asking */
function answerOf(asking) {
  const options = JSON.parse(asking.dataset['options'] ?? '{}')
  return asking.dataset['kind'] === 'new'
    ? navigator.credentials.create({ publicKey: PublicKeyCredential.parseCreationOptionsFromJSON(options) })
    : navigator.credentials.get({ publicKey: PublicKeyCredential.parseRequestOptionsFromJSON(options) })
}

async function ask() {
  if (!(form instanceof HTMLFormElement)) return
  const credential = await answerOf(form)
  const field = form.elements.namedItem('credential')
  if (!(credential instanceof PublicKeyCredential) || !(field instanceof HTMLInputElement)) return
  field.value = JSON.stringify(credential.toJSON())
  form.submit()
}

// Whoever closes the browser's question may have it asked again, or take another way.
const quietly = () => void ask().catch(() => undefined)
if (form) {
  form.querySelector('button')?.addEventListener('click', quietly)
  quietly()
}

export {}
