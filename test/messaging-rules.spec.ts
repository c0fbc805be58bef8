/** What messaging decides without a database: what an answer means, when quiet hours end, whose a webhook is, what a person wrote. */
import { randomBytes } from 'node:crypto'

import fc from 'fast-check'
import { Webhook } from 'standardwebhooks'
import twilio from 'twilio'
import { describe, expect, it } from 'vitest'

import { textOfHtml } from '#server/mail/parse.ts'
import { replyText } from '#tools/messaging/delivery/mail-text.rules.ts'
import { choiceOf, keywordOf, keywordOfReply, plainText } from '#tools/messaging/messaging.rules.ts'
import { quietUntil } from '#tools/messaging/delivery/quiet-hours.rules.ts'
import { isStandardWebhook } from '#tools/messaging/providers/signatures.ts'
import { isSignedByTwilio, parseForm } from '#tools/messaging/providers/twilio.ts'

import './support/seed.ts'
import { spentMs } from './support/turns.ts'

describe('what an answer means', () => {
  const choices = [
    { key: 'yes', label: 'Yes, please' },
    { key: 'no', label: 'No' },
    { key: '7', label: 'Seven' },
  ]

  it('is read by number, key or label', () => {
    const read = (text: string) => choiceOf(text, choices)
    expect([
      read('1'),
      read(' 2. '),
      read('#1'),
      read('2)'),
      read('YES'),
      read('yes,  please!'),
      read('no'),
      read('7'),
      read('seven'),
    ]).toEqual(['yes', 'no', 'yes', 'no', 'yes', 'yes', 'no', '7', '7'])
    expect([read('0'), read('4'), read('maybe'), read(''), read('1 or 2')]).toEqual([undefined, undefined, undefined, undefined, undefined])
  })

  it('finds every choice of a card by the number that its text shows', () => {
    const labels = fc.uniqueArray(
      fc.string({ minLength: 1, maxLength: 20 }).filter((text) => /^[a-z ]+$/i.test(text) && text.trim() !== ''),
      { minLength: 1, maxLength: 20, selector: (text) => text.trim().toLowerCase() },
    )
    fc.assert(
      fc.property(labels, (all) => {
        const offered = all.map((label, n) => ({ key: `key-${n}`, label }))
        const text = plainText('Which?', { choices: offered })
        offered.forEach(({ key, label }, n) => {
          expect(text).toContain(`${n + 1}. ${label}`)
          expect(choiceOf(String(n + 1), offered)).toBe(key)
        })
      }),
      { numRuns: 50 },
    )
  })

  it('is STOP, START or HELP only when it says nothing else', () => {
    const words = ['stop', 'STOPALL', 'Unsubscribe', 'cancel', 'END', 'quit', 'revoke', 'OptOut', ' stop. ', '"STOP"']
    expect(words.map(keywordOf)).toEqual(words.map(() => 'stop'))
    expect(['START', 'unstop'].map(keywordOf)).toEqual(['start', 'start'])
    expect(['help', 'INFO'].map(keywordOf)).toEqual(['help', 'help'])
    expect(['please stop', 'stop it', 'yes', '', 'the end'].map(keywordOf)).toEqual([undefined, undefined, undefined, undefined, undefined])
  })
})

describe('what strangers send', () => {
  it('is understood or passed over at once, whatever it holds', () => {
    const choices = [{ key: 'a', label: 'A'.repeat(100) }]
    const ms = spentMs(() => {
      for (const part of ['!', '.', '"', "'", ' ', '\t', '\u00a0', '#', '1', 'ﬁ']) {
        for (const text of [
          part.repeat(200_000),
          `${part.repeat(200_000)}x`,
          `x${part.repeat(200_000)}x`,
          `STOP${part.repeat(200_000)}x`,
        ]) {
          expect([keywordOf(text), choiceOf(text, choices), keywordOfReply('email', text, true)]).toEqual([undefined, undefined, undefined])
        }
      }
      expect(parseForm(Buffer.from('a=b&'.repeat(250_000))).get('a')).toHaveLength(250_000)
    })
    expect(ms).toBeLessThan(3_000)
    expect(choiceOf(`  ${'a'.repeat(100)}!  `, choices)).toBe('a')
    expect(keywordOf(`${' '.repeat(100_000)}Stop.${'\n'.repeat(100_000)}`)).toBe('stop')
  })
})

describe('quiet hours', () => {
  const until = (quiet: { start: string; end: string; timeZoneIana: string }, now: string) => {
    const end = quietUntil(quiet, Date.parse(now))
    return end === undefined ? undefined : new Date(end).toISOString()
  }
  const madrid = { start: '21:00', end: '07:00', timeZoneIana: 'Europe/Madrid' }

  it('end at the hour of the place, across midnight', () => {
    expect(until(madrid, '2026-07-01T18:59:00Z')).toBeUndefined()
    expect(until(madrid, '2026-07-01T19:00:00Z')).toBe('2026-07-02T05:00:00.000Z')
    expect(until(madrid, '2026-07-02T04:59:59Z')).toBe('2026-07-02T05:00:00.000Z')
    expect(until(madrid, '2026-07-02T05:00:00Z')).toBeUndefined()
    expect(until(madrid, '2026-12-31T22:30:00Z')).toBe('2027-01-01T06:00:00.000Z')
    expect(until({ ...madrid, start: '12:00', end: '14:00' }, '2026-07-01T11:30:00Z')).toBe('2026-07-01T12:00:00.000Z')
    expect(until({ ...madrid, start: '12:00', end: '12:00' }, '2026-07-01T10:00:00Z')).toBeUndefined()
  })

  it('hold on the nights on which the clocks change', () => {
    // Madrid skips 02:00 to 03:00 on 29 March 2026, and shows it twice on 25 October 2026.
    expect(until(madrid, '2026-03-28T22:00:00Z')).toBe('2026-03-29T05:00:00.000Z')
    expect(until(madrid, '2026-10-24T22:00:00Z')).toBe('2026-10-25T06:00:00.000Z')
    expect(until({ ...madrid, end: '02:30' }, '2026-03-28T22:00:00Z')).toBe('2026-03-29T01:30:00.000Z')
    expect(until({ ...madrid, end: '02:30' }, '2026-10-24T22:00:00Z')).toBe('2026-10-25T00:30:00.000Z')
    expect(until({ start: '20:00', end: '08:00', timeZoneIana: 'Pacific/Auckland' }, '2026-09-26T09:00:00Z')).toBe(
      '2026-09-26T19:00:00.000Z',
    )
  })

  it('end later than now on every night on which clocks change', () => {
    const nights = [
      ['Europe/Madrid', '2026-03-29'],
      ['Europe/Madrid', '2026-10-25'],
      ['America/Havana', '2026-11-01'],
      ['America/St_Johns', '2026-03-08'],
      ['Africa/Cairo', '2026-10-30'],
      ['Asia/Beirut', '2026-10-25'],
      ['Australia/Lord_Howe', '2026-04-05'],
      ['Pacific/Auckland', '2026-04-05'],
      ['Antarctica/Troll', '2026-10-25'],
    ] as const
    const hours = [
      ['21:00', '07:00'],
      ['22:00', '02:30'],
      ['01:00', '02:15'],
      ['23:30', '00:30'],
      ['00:00', '23:59'],
    ] as const
    const held: { now: number; end: number }[] = []
    for (const [timeZoneIana, night] of nights) {
      for (const [start, end] of hours) {
        for (let minute = -18 * 60; minute < 18 * 60; minute += 11) {
          const now = Date.parse(night) + minute * 60_000
          const ends = quietUntil({ start, end, timeZoneIana }, now)
          if (ends !== undefined) held.push({ now, end: ends })
        }
      }
    }
    expect(held.length).toBeGreaterThan(2_000)
    expect(held.filter(({ now, end }) => end <= now || end - now > 26 * 3_600_000)).toEqual([])
    // 02:30 comes twice on this night: what is queued after the first waits for the second.
    expect(until({ ...madrid, end: '02:30' }, '2026-10-25T01:10:00Z')).toBe('2026-10-25T01:30:00.000Z')
  })
})

describe('the signature of a webhook', () => {
  it('agrees with Twilio’s own check in every case', () => {
    const token = 'a-token'
    const urls = [
      'https://ops.example.com/api/v1/w/k',
      'https://ops.example.com:443/w?messageId=5',
      'http://localhost:4000/w?a=1&b=2',
      'http://ops.example.com/w',
      'https://ops.example.com:8443/w',
    ]
    const forms = [{}, { Body: 'Grüße, 你好 & more', From: '+34600000001' }, { b: '2', a: '1', B: '3' }, { Body: '' }]
    let agreed = 0
    let valid = 0
    for (const signedUrl of urls) {
      for (const form of forms) {
        const right = twilio.getExpectedTwilioSignature(token, signedUrl, form)
        for (const url of urls) {
          for (const [checked, signature, secret] of [
            [form, right, token],
            [{ ...form, Body: 'changed' }, right, token],
            [form, right, 'another'],
            [form, right.slice(1), token],
            [form, '', token],
          ] as const) {
            const theirs = twilio.validateRequest(secret, signature, url, checked)
            expect(isSignedByTwilio(secret, signature, url, parseForm(Buffer.from(new URLSearchParams(checked).toString())))).toBe(theirs)
            agreed++
            if (theirs) valid++
          }
        }
      }
    }
    expect(agreed).toBe(urls.length * forms.length * urls.length * 5)
    expect(valid).toBe(urls.length * forms.length)
    const several = { MediaUrl: ['b', 'a', 'a'] }
    const body = Buffer.from('MediaUrl=b&MediaUrl=a&MediaUrl=a')
    expect(isSignedByTwilio(token, twilio.getExpectedTwilioSignature(token, urls[0] ?? '', several), urls[0] ?? '', parseForm(body))).toBe(
      true,
    )
    expect(isSignedByTwilio(token, undefined, urls[0] ?? '', parseForm(body))).toBe(false)
  })

  it('agrees with Standard Webhooks’ own, and is good for five minutes', () => {
    const secret = `whsec_${randomBytes(24).toString('base64')}`
    const now = Math.floor(Date.now() / 1000) * 1000
    const body = JSON.stringify({ text: 'ñ' })
    const headersAt = (ms: number, by = secret) => ({
      'webhook-id': 'm1',
      'webhook-timestamp': String(ms / 1000),
      'webhook-signature': `v1,bad ${new Webhook(by).sign('m1', new Date(ms), body)}`,
    })
    expect(isStandardWebhook(secret, headersAt(now), Buffer.from(body), now)).toBe(true)
    expect(isStandardWebhook(secret, headersAt(now), Buffer.from(`${body} `), now)).toBe(false)
    expect(isStandardWebhook(secret, headersAt(now, `whsec_${randomBytes(24).toString('base64')}`), Buffer.from(body), now)).toBe(false)
    expect(isStandardWebhook(secret, headersAt(now - 301_000), Buffer.from(body), now)).toBe(false)
    expect(isStandardWebhook(secret, headersAt(now + 299_000), Buffer.from(body), now)).toBe(true)
    expect(isStandardWebhook(secret, {}, Buffer.from(body), now)).toBe(false)
  })
})

describe('what a person wrote', () => {
  it('is found above the quoted message in the languages of the users', () => {
    const quotes = [
      'On Sat, Nov 21, 2026 at 10:00 AM Dispatch <d@x.example>\nwrote:\n\n> Is it open?',
      'Am Sa., 21. Nov. 2026 um 10:00 Uhr schrieb Dispatch <d@x.example>:\n\n> Ist es offen?',
      'El sáb, 21 nov 2026 a las 10:00, Dispatch (<d@x.example>) escribió:\n\n> ¿Abierta?',
      'Le sam. 21 nov. 2026 à 10:00, Dispatch <d@x.example> a écrit\u00a0:\n\n> Ouvert ?',
      '-----Original Message-----\nFrom: Dispatch\nSent: Saturday',
      '________________________________\nFrom: Dispatch <d@x.example>\nSent: Saturday, November 21, 2026',
      'From: Dispatch <d@x.example>\nSent: Saturday\nTo: Ana',
      '> Is it open?\n> 1. Yes',
      '-- \nAna Ruiz\nField team',
    ]
    expect(quotes.map((quote) => replyText(`Yes, it is.\r\n\r\nOn the left.\r\n\r\n${quote}`))).toEqual(
      quotes.map(() => 'Yes, it is.\n\nOn the left.'),
    )
    expect(replyText('> Is it open?\n\nYes, below.')).toBe('> Is it open?\n\nYes, below.')
    expect(replyText('On Monday I wrote: nothing')).toBe('On Monday I wrote: nothing')
    expect(replyText('')).toBe('')
  })

  it('is read out of HTML where there is no text, at once whatever it holds', () => {
    expect(
      textOfHtml(
        '<html><head><title>x</title><style>p{}</style></head><body><p>Yes &amp; no &#128077;</p><div>On the left<br>side</div><blockquote><p>quoted <blockquote>twice</blockquote></p></blockquote></body></html>',
      ),
    ).toBe('Yes & no 👍\n\nOn the left\nside')
    expect(
      textOfHtml('<p>S&iacute;, &Eacute;l: caf&eacute; &ndash; it&rsquo;s open&hellip; &euro;5 &AMP; &#128512; &#xD800;&unknown;</p>'),
    ).toBe('Sí, Él: café – it’s open… €5 & 😀 \ufffd&unknown;')
    expect(textOfHtml('at&nbsp;9&ensp;am, &Scaron;koda &rarr; &rightleftharpoons; Ga&shy;rage &amp;lt; AT&T 👨‍👩‍👧')).toBe(
      'at 9 am, Škoda → ⇌ Garage &lt; AT&T 👨‍👩‍👧',
    )
    expect(textOfHtml('<blockquote><p>All of it in a quotation</p>')).toBe('All of it in a quotation')
    const ms = spentMs(() => {
      for (const part of ['<', '<blockquote', '<blockquote>', '<!--', '&#']) expect(typeof textOfHtml(part.repeat(200_000))).toBe('string')
      expect(typeof replyText('On '.repeat(150_000))).toBe('string')
      expect(typeof replyText('On x\n'.repeat(100_000))).toBe('string')
    })
    expect(ms).toBeLessThan(5_000)
  })
})
