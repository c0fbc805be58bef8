/** Hands a mail of the installation to its mail server. Sent twice it is read twice, which harms nobody: a link in it counts once. */
import { createTransport } from 'nodemailer'

export interface OutgoingMail {
  readonly to: string
  readonly subject: string
  readonly text: string
  readonly html?: string
}

const limits = { connectionTimeout: 10_000, greetingTimeout: 10_000, socketTimeout: 30_000, dnsTimeout: 5_000 } as const

/** Throws what the server says. */
export async function sendMail(via: { readonly url: string; readonly from: string }, mail: OutgoingMail): Promise<void> {
  const address = new URL(via.url)
  const user = decodeURIComponent(address.username)
  const secure = address.protocol === 'smtps:'
  const transport = createTransport({
    ...limits,
    host: address.hostname,
    port: Number(address.port || (secure ? 465 : 587)),
    secure,
    // A password crosses the network encrypted or not at all.
    requireTLS: user !== '',
    ...(user === '' ? {} : { auth: { user, pass: decodeURIComponent(address.password) } }),
    disableFileAccess: true,
    disableUrlAccess: true,
  })
  try {
    await transport.sendMail({ from: via.from, ...mail, headers: { 'Auto-Submitted': 'auto-generated' } })
  } finally {
    transport.close()
  }
}
