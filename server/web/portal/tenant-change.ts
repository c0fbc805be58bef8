/** To another tenant of the person, in one choice: the portal's own page of tenants is asked, and its button for that tenant is pressed. */
export async function goToTenant(tenantId: number, subDomain: string): Promise<void> {
  const home = `/t/${subDomain}/`
  const accept = { accept: 'text/html' }
  try {
    const page = await fetch(`/login/tenant?returnTo=${encodeURIComponent(home)}`, { headers: accept })
    const shown = new DOMParser().parseFromString(await page.text(), 'text/html')
    const field = [...shown.querySelectorAll<HTMLInputElement>('input[name=tenantId]')].find(({ value }) => value === String(tenantId))
    const form = field?.form
    if (form) {
      const body = new URLSearchParams()
      for (const [name, value] of new FormData(form)) if (typeof value === 'string') body.append(name, value)
      const answer = await fetch(new URL(form.getAttribute('action') ?? '', page.url), { method: 'POST', body, headers: accept })
      // A tenant may ask for a factor first: that page is the portal's.
      location.assign(answer.ok && answer.redirected ? answer.url : home)
      return
    }
  } catch {
    // Unreached: the browser says so itself.
  }
  location.assign(home)
}
