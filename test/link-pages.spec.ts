import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'

import type { AxeResults } from 'axe-core'
import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'

import { AppError } from '#platform/errors.ts'
import { createPages } from '#server/pages/index.ts'

import { openBrowser } from './support/browser.ts'
import { startHttpServer, type TestServer } from './support/http-server.ts'
import { everyKind, type TakingCalls, takingCalls } from './support/link-form.ts'

const axe = readFileSync(resolve(import.meta.dirname, '../node_modules/axe-core/axe.min.js'), 'utf8')
// A pixel, as a camera would bring one.
const png = Buffer.from('iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==', 'base64')
const photo = { name: 'gate.png', mimeType: 'image/png', buffer: png }

let browser: Browser
let server: TestServer
let calls: TakingCalls
let context: BrowserContext
let links = 0
let token = ''
const failures: unknown[] = []

beforeAll(async () => {
  calls = takingCalls(everyKind, { '--theme-primary': '#ffd400' })
  server = await startHttpServer({ pages: createPages({ calls, onFailure: (error) => failures.push(error) }) })
  browser = await openBrowser()
})
afterAll(async () => {
  await browser?.close()
  await server?.close()
})
beforeEach(() => {
  token = `open${links++}`
  calls.taken.length = 0
  calls.files.length = 0
  calls.refuse = undefined
})
afterEach(() => context?.close())

const complaints: string[] = []

async function open(options: Parameters<Browser['newContext']>[0] = {}, path = `/l/${token}`): Promise<Page> {
  context = await browser.newContext({ viewport: { width: 390, height: 800 }, ...options })
  const page = await context.newPage()
  complaints.length = 0
  page.on('console', (message) => complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url) && !request.url().startsWith('data:')) complaints.push(`asked ${request.url()}`)
  })
  await page.goto(server.url + path)
  if (options.javaScriptEnabled !== false && path === `/l/${token}`) await page.locator('form[data-is-ready]').waitFor()
  return page
}

async function fill(page: Page): Promise<void> {
  await page.getByLabel('Inspected by').fill('Ana Ruiz')
  await page.getByRole('radio', { name: 'Open' }).check()
  await page.getByRole('radio', { name: 'Yes' }).check()
  await page.getByLabel('Or type your name as your signature').fill('Ana Ruiz')
}

const send = (page: Page) => page.getByRole('button', { name: 'Send' }).click()
const thanks = (page: Page) => page.getByRole('heading', { name: 'Thank you' }).waitFor()

const looks = [
  { viewport: { width: 1440, height: 900 }, colorScheme: 'light' },
  { viewport: { width: 320, height: 800 }, colorScheme: 'light' },
  { viewport: { width: 390, height: 800 }, colorScheme: 'dark' },
] as const

describe('the page of a signed link', () => {
  it.for(['form', 'refused', 'expired', 'unknown'])('leaves nobody out, wide and narrow, light and dark: %s', async (which) => {
    for (const look of looks) {
      const isForm = which === 'form' || which === 'refused'
      const page = await open(look, isForm ? `/l/${token}` : `/l/${which}`)
      if (which === 'refused') await send(page)
      await page.evaluate(axe)
      const { violations, passes } = await page.evaluate<AxeResults>("axe.run({ resultTypes: ['violations'] })")
      const named = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html ?? ''}`)
      const overflow = await page.evaluate<number>('document.documentElement.scrollWidth - innerWidth')
      expect([look, named, overflow]).toEqual([look, [], 0])
      expect(passes.length).toBeGreaterThan(10)
      expect(complaints.filter((one) => !one.includes('(Gone)') && !one.includes('(Not Found)'))).toEqual([])
      await context.close()
    }
  })

  it('brings less than 30 KB of script, and asks nobody else', async () => {
    const scripts: Promise<Buffer>[] = []
    context = await browser.newContext()
    const page = await context.newPage()
    page.on('response', (response) => {
      if (response.request().resourceType() === 'script') scripts.push(response.body())
    })
    await page.goto(`${server.url}/l/${token}`)
    await page.locator('form[data-is-ready]').waitFor()
    const bodies = await Promise.all(scripts)
    expect(bodies.length).toBeGreaterThan(2)
    expect(bodies.reduce((sum, body) => sum + body.length, 0)).toBeLessThan(30 * 1024)
  })

  it('takes a whole answer: every kind of field, rows of a list, a photograph and a drawn signature', async () => {
    const page = await open({ timezoneId: 'America/New_York' })
    await fill(page)
    await page.getByLabel('Or type your name as your signature').fill('')
    await page.getByLabel('Your e-mail').fill('ana@example.com')
    await page.getByLabel('Place').selectOption({ label: 'North › Yard' })
    await page.getByRole('checkbox', { name: 'Closed' }).check()
    await page.getByLabel('Width in metres').fill('3.25')
    await page.getByLabel('Cost').fill('120')
    await page.getByLabel('Next look').fill('2026-12-24')
    await page.getByLabel('Time').fill('09:30')
    await page.getByLabel('Seen at').fill('2026-11-22T08:15')
    await page.getByLabel('Codes on the plates').fill('A1\nC3')
    await page.getByRole('button', { name: 'Add another: Part' }).click()
    await page.getByLabel('Name of the part').nth(1).fill('Lock')
    await page.getByLabel('How many').nth(1).fill('3')
    await page.getByRole('checkbox', { name: 'Remove Part 1' }).check()
    await page.getByLabel('Photographs').setInputFiles([photo, { ...photo, name: 'lock.png' }])
    const pad = page.locator('canvas')
    await pad.scrollIntoViewIfNeeded()
    const box = await pad.boundingBox()
    await page.mouse.move((box?.x ?? 0) + 40, (box?.y ?? 0) + 40)
    await page.mouse.down()
    await page.mouse.move((box?.x ?? 0) + 160, (box?.y ?? 0) + 60, { steps: 8 })
    await page.mouse.up()
    await send(page)
    await thanks(page)
    expect(complaints).toEqual([])
    expect(calls.files).toMatchObject([
      { property: 'Photos', fileName: 'gate.png', type: 'image/png', bytes: png.length },
      { property: 'Photos', fileName: 'lock.png' },
      { property: 'Signed', fileName: 'signature.png', type: 'image/png' },
    ])
    const keys = [1, 2, 3].map((number) => `00000000-0000-4000-8000-${String(number).padStart(12, '0')}`)
    expect(calls.taken).toEqual([
      {
        key: expect.stringMatching(/^[\w-]{8,}$/),
        values: {
          Inspector: 'Ana Ruiz',
          Mail: 'ana@example.com',
          State: 'open',
          Place: 'yard',
          Damages: ['closed'],
          Width: 3.25,
          Cost: 120,
          Safe: true,
          Due: '2026-12-24',
          At: '09:30',
          // In the clock of the device, five hours behind.
          Seen: '2026-11-22T13:15:00.000Z',
          Codes: ['A1', 'C3'],
          Photos: keys.slice(0, 2),
          Signed: keys[2],
        },
        sections: { parts: { rows: [{ values: { PartName: 'Lock', Quantity: 3 } }], deletedEIRecordIds: [71] } },
      },
    ])
  })

  it('works without script: what is wrong is told, files stay, a row is added, and the answer arrives', async () => {
    const page = await open({ javaScriptEnabled: false })
    // A browser would hold some of it back by itself; whoever cannot is helped by the server.
    const press = async (name: string) => {
      await page.locator('form').evaluate((form) => form.setAttribute('novalidate', ''))
      await page.getByRole('button', { name }).click()
    }
    await page.getByLabel('Inspected by').fill('Ana')
    await page.getByLabel('Photographs').setInputFiles(photo)
    await press('Send')
    await expect
      .poll(() => page.locator('#problems li').allTextContents())
      .toEqual(['State of the gate – an answer is needed', 'Is it safe? – an answer is needed', 'Your signature – an answer is needed'])
    expect(await page.getByLabel('Inspected by').inputValue()).toBe('Ana')
    expect(await page.getByText('One file is there already.').count()).toBe(1)
    await page.getByRole('radio', { name: 'Open' }).check()
    await page.getByRole('radio', { name: 'No', exact: true }).check()
    await page.getByRole('button', { name: 'Add another: Part' }).click()
    await page.getByLabel('Name of the part').nth(1).fill('Lock')
    await page.getByLabel('Or type your name as your signature').fill('Ana <Ruiz>')
    await press('Send')
    await thanks(page)
    expect(complaints.filter((one) => !one.includes('400'))).toEqual([])
    expect(calls.taken).toHaveLength(1)
    expect(calls.taken[0]).toMatchObject({
      values: { Inspector: 'Ana', State: 'open', Safe: false, Photos: ['00000000-0000-4000-8000-000000000001'] },
      sections: { parts: { rows: [{ eiRecordId: 71, values: { PartName: 'Hinge', Quantity: 2 } }, { values: { PartName: 'Lock' } }] } },
    })
    expect(calls.files.map(({ fileName }) => fileName)).toEqual(['gate.png', 'signature.svg'])
  })

  it('shows and asks by the answers, and sends nothing of what is hidden', async () => {
    const page = await open()
    await fill(page)
    const reason = page.getByLabel('Why is it closed?')
    expect(await reason.isVisible()).toBe(false)
    await page.getByRole('radio', { name: 'Closed' }).check()
    await reason.fill('The lock is broken')
    await page.getByRole('radio', { name: 'Open' }).check()
    expect(await reason.isVisible()).toBe(false)
    await page.getByRole('radio', { name: 'Closed' }).check()
    expect(await reason.inputValue()).toBe('The lock is broken')
    await reason.fill('')
    await send(page)
    await expect.poll(() => page.locator('#problems li').allTextContents()).toEqual(['Why is it closed? – an answer is needed'])
    await page.getByRole('radio', { name: 'Open' }).check()
    await send(page)
    await thanks(page)
    expect(Object.keys(calls.taken[0]?.values ?? {})).not.toContain('ClosedReason')
  })

  it('is answered with the keyboard alone, and what is wrong is reached from the summary', async () => {
    const page = await open()
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').textContent()).toBe('Skip to the content')
    await page.getByRole('button', { name: 'Send' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.evaluate('document.activeElement.id')).toBe('problems')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.keyboard.type('Ana')
    expect(await page.getByLabel('Inspected by').inputValue()).toBe('Ana')
    expect(await page.getByLabel('Inspected by').getAttribute('aria-invalid')).toBe('true')
    await page.getByRole('radio', { name: 'Open' }).focus()
    await page.keyboard.press('Space')
    await page.getByRole('radio', { name: 'Yes' }).focus()
    await page.keyboard.press('Space')
    await page.getByLabel('Or type your name').focus()
    await page.keyboard.type('Ana')
    await page.keyboard.press('Enter')
    await thanks(page)
    expect(calls.taken).toHaveLength(1)
  })

  it('keeps what was typed when the page is opened again, files and drawing too', async () => {
    const page = await open()
    await fill(page)
    await page.getByLabel('Photographs').setInputFiles(photo)
    await page.getByRole('button', { name: 'Add another: Part' }).click()
    await page.getByLabel('Name of the part').nth(1).fill('Lock')
    const kept = () =>
      page.evaluate<number>(`new Promise((resolve) => {
        const request = indexedDB.open('links', 1)
        request.onsuccess = () => {
          const get = request.result.transaction('drafts').objectStore('drafts').getAll()
          get.onsuccess = () => { request.result.close(); resolve(JSON.stringify(get.result).includes('Lock') ? 1 : 0) }
        }
      })`)
    await expect.poll(kept).toBe(1)
    await page.reload()
    await page.locator('form[data-is-ready]').waitFor()
    expect(await page.getByRole('status').textContent()).toBe('What you typed before is back.')
    expect(await page.getByLabel('Inspected by').inputValue()).toBe('Ana Ruiz')
    expect(await page.getByLabel('Name of the part').nth(1).inputValue()).toBe('Lock')
    await send(page)
    await thanks(page)
    expect(calls.taken).toHaveLength(1)
    expect(calls.files.map(({ fileName }) => fileName).sort()).toEqual(['gate.png', 'signature.png'])
  })

  it('shows what the form asks for no more, sends the rest, and loses no draft of it', async () => {
    const [gate, ...rest] = everyKind.sections
    if (!gate) throw new Error('The form has no sections')
    const less = {
      ...everyKind,
      layoutVersion: 4,
      sections: [{ ...gate, fields: gate.fields.filter(({ property }) => property !== 'Mail') }, ...rest],
    }
    const page = await open()
    await fill(page)
    await page.getByLabel('Your e-mail').fill('ana@example.com')
    calls.form = less
    try {
      await send(page)
      await page.getByRole('alert').waitFor()
      expect(await page.getByRole('alert').textContent()).toContain('Mail is not asked for any more. You had answered: ana@example.com.')
      expect(await page.getByLabel('Your e-mail').inputValue()).toBe('ana@example.com')
      await send(page)
      await thanks(page)
      expect(calls.taken.map(({ values }) => [values['Inspector'], values['Mail']])).toEqual([['Ana Ruiz', undefined]])

      calls.form = everyKind
      token = `open${links++}`
      await page.goto(`${server.url}/l/${token}`)
      await page.locator('form[data-is-ready]').waitFor()
      await page.getByLabel('Inspected by').fill('Ben')
      await page.getByLabel('Your e-mail').fill('ben@example.com')
      await expect
        .poll(() =>
          page.evaluate<string>(`new Promise((resolve) => {
        const request = indexedDB.open('links', 1)
        request.onsuccess = () => {
          const get = request.result.transaction('drafts').objectStore('drafts').getAll()
          get.onsuccess = () => { request.result.close(); resolve(JSON.stringify(get.result)) }
        }
      })`),
        )
        .toContain('ben@example.com')
      calls.form = less
      await page.reload()
      await page.locator('form[data-is-ready]').waitFor()
      expect(await page.getByLabel('Inspected by').inputValue()).toBe('Ben')
      expect(await page.getByRole('alert').textContent()).toContain('You had answered: ben@example.com.')
    } finally {
      calls.form = everyKind
    }
  })

  it('holds an answer that was sent without network, sends it once the network is back, and counts it once', async () => {
    const page = await open()
    await fill(page)
    await context.setOffline(true)
    await expect.poll(() => page.getByRole('status').textContent()).toContain('You are offline')
    await send(page)
    await expect.poll(() => page.getByRole('status').textContent()).toContain('will be sent as soon as the network is back')
    expect(calls.taken).toHaveLength(0)
    await context.setOffline(false)
    await thanks(page)
    expect(calls.taken).toHaveLength(1)
  })

  it('takes an answer whose acknowledgement was lost for the one that it is', async () => {
    const page = await open()
    await fill(page)
    let isLost = false
    await page.route(`**/l/${token}`, async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    await send(page)
    await expect.poll(() => calls.taken.length).toBe(1)
    await expect.poll(() => page.getByRole('status').textContent()).toContain('will be sent')
    await page.evaluate("dispatchEvent(new Event('online'))")
    await thanks(page)
    expect(calls.taken).toHaveLength(1)
  })

  it('does not take a correction for the answer whose acknowledgement was lost', async () => {
    const page = await open()
    await fill(page)
    let isLost = false
    await page.route(`**/l/${token}`, async (route) => {
      if (route.request().method() !== 'POST' || isLost) return route.continue()
      isLost = true
      await route.fetch()
      await route.abort()
    })
    const status = () => page.getByRole('status').textContent()
    await send(page)
    await expect.poll(status).toContain('will be sent')
    await page.getByLabel('Inspected by').fill('Ana Ruiz Gil')
    await send(page)
    await expect.poll(status).toContain('This link has been used')
    expect(await page.getByLabel('Inspected by').inputValue()).toBe('Ana Ruiz Gil')
    expect(calls.taken).toMatchObject([{ values: { Inspector: 'Ana Ruiz' } }])
  })

  it('tells what the server found, at its field', async () => {
    const page = await open()
    await fill(page)
    calls.refuse = () => {
      const issues = [{ path: '$.sections.parts.rows[0].values.Quantity', severity: 'error' as const, message: 'There are only four.' }]
      throw new AppError('invalid_input', 'The record is not valid.', { issues })
    }
    await send(page)
    await expect.poll(() => page.locator('#problems li').allTextContents()).toEqual(['How many – There are only four.'])
    expect(await page.getByLabel('How many').getAttribute('aria-invalid')).toBe('true')
    calls.refuse = undefined
    await send(page)
    await thanks(page)
  })

  it('speaks the language of whoever reads it', async () => {
    const page = await open({ locale: 'de-DE' })
    expect(await page.locator('html').getAttribute('lang')).toBe('de')
    expect(await page.getByRole('button', { name: 'Absenden' }).count()).toBe(1)
  })
})

describe('a link that was used, has expired, was withdrawn or never was', () => {
  const get = async (path: string, headers: Record<string, string> = {}) => {
    const response = await fetch(server.url + path, { headers })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }

  it.for([
    ['used', 410, 'This link has been used'],
    ['expired', 410, 'This link has expired'],
    ['revoked', 410, 'This link was withdrawn'],
    ['unknown', 404, 'This link leads nowhere'],
  ] as const)('says so kindly, and what to do: %s', async ([which, status, title]) => {
    const answer = await get(`/l/${which}`)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([status, 'text/html; charset=utf-8'])
    expect(answer.text).toContain(`<h1>${title}</h1>`)
    expect((await get(`/l/${which}`, { 'accept-language': 'de' })).text).not.toContain(title)
  })

  it('says nothing of what broke on our side', async () => {
    failures.length = 0
    const { status, text } = await get('/l/broken')
    expect([status, text.includes('10.1.2.3'), text.includes('The fault is on our side')]).toEqual([500, false, true])
    expect(failures).toHaveLength(1)
  })

  it('lets its pages load their own files and nothing else, keeps them out of caches, and its tokens out of the log', async () => {
    const { headers } = await get(`/l/${token}`)
    expect(headers.get('content-security-policy')).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; frame-ancestors 'none'",
    )
    expect([headers.get('cache-control'), headers.get('referrer-policy')]).toEqual(['no-store', 'no-referrer'])
    const lines = server.memory.logged.filter((line) => String(line['path']).startsWith('/l/'))
    expect(lines.length).toBeGreaterThan(0)
    expect(JSON.stringify(server.memory.logged)).not.toContain(token)
  })

  it('changes nothing however often a scanner looks', async () => {
    for (let turn = 0; turn < 5; turn++) expect((await get(`/l/${token}`)).status).toBe(200)
    expect((await fetch(`${server.url}/l/${token}`, { method: 'HEAD' })).status).toBe(200)
    expect([calls.taken, calls.files]).toEqual([[], []])
  })

  it('says so where the form is larger than a page can be', async () => {
    const options = Array.from({ length: 5_000 }, (_, at) => ({ internalName: `o${at}`, name: `Option ${at}` }))
    const [section] = everyKind.sections
    const fields = Array.from({ length: 5 }, (_, at) => ({ ...section?.fields[5], property: `Kind${at}`, options }))
    const large = takingCalls({ ...everyKind, sections: [{ ...section, fields }] } as typeof everyKind)
    const other = await startHttpServer({ pages: createPages({ calls: large, onFailure: () => {} }) })
    const answer = await fetch(`${other.url}/l/open`)
    expect([answer.status, (await answer.text()).includes('too large to be shown here')]).toEqual([413, true])
    await other.close()
  })

  it('says so where an answer is larger than a page can be, before it is read or drawn', async () => {
    const rows = new FormData()
    for (let row = 0; row < 9_990; row++) rows.append(`v:parts:${row}:PartName`, 'Hinge')
    const post = (path: string, body: FormData) => fetch(server.url + path, { method: 'POST', body })
    const answer = await post(`/l/${token}`, rows)
    expect([answer.status, (await answer.text()).includes('too large to be shown here')]).toEqual([413, true])
    expect(calls.taken).toEqual([])

    // Light enough to be read, and far too long to be shown again.
    const [, parts] = everyKind.sections
    const fields = [{ ...parts?.fields[1], help: 'Count them twice. '.repeat(200) }]
    const large = takingCalls({ ...everyKind, sections: [{ ...parts, fields }] } as typeof everyKind)
    const other = await startHttpServer({ pages: createPages({ calls: large, onFailure: () => {} }) })
    const wrong = new FormData()
    for (let row = 0; row < 3_000; row++) wrong.append(`v:parts:${row}:Quantity`, 'many')
    const told = await fetch(`${other.url}/l/open`, { method: 'POST', body: wrong, headers: { accept: 'application/json' } })
    const { problems }: { problems: unknown[] } = JSON.parse(await told.text())
    expect([told.status, problems]).toEqual([400, expect.any(Array)])
    expect(problems).toHaveLength(50)
    expect((await fetch(`${other.url}/l/open`, { method: 'POST', body: wrong })).status).toBe(413)
    await other.close()
  })

  it('takes no more files than a link keeps, signatures that were typed among them', async () => {
    const body = new FormData()
    for (let row = 0; row < 60; row++) body.append(`n:parts:${row}:PartName`, 'Ana')
    expect((await fetch(`${server.url}/l/${token}`, { method: 'POST', body })).status).toBe(413)
    expect(calls.files).toHaveLength(50)
  })

  it('refuses what is no form', async () => {
    const post = (body: string, type: string) =>
      fetch(`${server.url}/l/${token}`, { method: 'POST', body, headers: { 'content-type': type } })
    expect((await post('{}', 'application/json')).status).toBe(415)
    expect((await post('nothing', 'multipart/form-data; boundary=x')).status).toBe(400)
    expect(calls.taken).toEqual([])
  })
})
