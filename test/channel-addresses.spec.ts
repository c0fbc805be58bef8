/** Where a channel may send: names and addresses in the usual form, refused with the reason before anything is stored. */
import { expect, it } from 'vitest'

import { isHostName } from '#platform/outbound.ts'

import { useWorld } from './support/world.ts'

const world = useWorld()
let made = 0

const smtp = (more: object) =>
  world.call('create_channel', {
    internalName: `Mail${++made}`,
    channel: 'email',
    provider: 'smtp',
    settings: { host: 'mail.example.com', port: 587, secure: false, from: 'ops@example.com', ...more },
  })

it.each([
  ['0'],
  ['127.1'],
  ['2130706433'],
  ['0x7f000001'],
  ['10.0.0.0x1'],
  ['127.0.0.1:4199'],
  ['mail.example.com:25'],
  ['mail.example.com\n'],
  ['mail\r\nRCPT TO:<a@b.c>'],
  ['mail.example.com\u0009'],
  [' mail.example.com'],
  ['-mail.example.com'],
  ['mail..example.com'],
  ['smtp://mail.example.com'],
  ['me@mail.example.com'],
  [`${'a'.repeat(64)}.example`],
  [''],
])('refuses the SMTP host %j, and says what one looks like', async (host) => {
  await expect(smtp({ host })).rejects.toMatchObject({
    code: 'invalid_input',
    issues: [
      { path: '$.settings.host', message: expect.stringContaining('A host name such as mail.example.com or an IP address is needed') },
    ],
  })
})

it('takes a name and both kinds of addresses, and refuses private ones as before', async () => {
  for (const host of ['mail.example.com', 'mail', 'mail.example.com.', 'relay_1.example', '8.8.8.8', '2606:4700::1111'])
    expect((await smtp({ host })).settings).toMatchObject({ host })
  await expect(smtp({ host: '10.0.0.5' })).rejects.toMatchObject({ code: 'unprocessable' })
  expect([isHostName('a'.repeat(254)), isHostName('xn--mnchen-3ya.example')]).toEqual([false, true])
})

it('holds the other addresses of a channel to their form as well', async () => {
  for (const replyDomain of ['ops.example.com\n', '-ops.example.com', 'ops example.com', '127.0.0.1', ''])
    await expect(smtp({ replyDomain })).rejects.toMatchObject({ issues: [{ path: '$.settings.replyDomain' }] })
  await expect(smtp({ from: 'ops@example.com\nBcc: a@b.c' })).rejects.toMatchObject({ issues: [{ path: '$.settings.from' }] })
  const twilio = { accountSid: `AC${'0'.repeat(32)}`, from: '+4930123456' }
  for (const wrong of [
    { apiBaseUrl: 'https://api.\nexample.com' },
    { apiBaseUrl: 'https://api.example.com\\@10.0.0.1' },
    { apiBaseUrl: 'https://api.example.com /x' },
    { from: '+4930\n123456' },
  ])
    await expect(
      world.call('create_channel', {
        internalName: `Text${++made}`,
        channel: 'sms',
        provider: 'twilio',
        settings: { ...twilio, ...wrong },
        secrets: { authToken: 'long-enough' },
      }),
    ).rejects.toMatchObject({ code: 'invalid_input', issues: [{ path: `$.settings.${Object.keys(wrong)[0]}` }] })
})
