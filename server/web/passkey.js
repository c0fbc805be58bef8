/** Has the browser show a passkey, and sends what it answers. */
const form = document.querySelector('#passkey')

async function ask() {
  if (!(form instanceof HTMLFormElement)) return
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(JSON.parse(form.dataset['options'] ?? '{}'))
  const credential = await navigator.credentials.get({ publicKey })
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
