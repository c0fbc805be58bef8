/** Takes the token of a mailed link from behind the #, out of the address and into the form, whose button alone sends it. */
const form = document.querySelector('#link')
const field = form?.querySelector('input[name=token]')
const token = location.hash.slice(1)

if (field instanceof HTMLInputElement && token !== '') {
  field.value = token
  field.closest('.field')?.setAttribute('hidden', '')
  history.replaceState(null, '', location.pathname)
  form?.querySelector('button')?.focus()
}

export {}
