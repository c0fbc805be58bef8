/** What a person wrote in a reply by e-mail: without the quoted message below it. */

// "On … wrote:" in the languages of the product's users; it may be broken over two lines.
const introductions = [
  /^On\b[^\n]{4,200}(?:\n[^\n]{0,120})?\bwrote:$/m,
  /^Am\b[^\n]{4,200}(?:\n[^\n]{0,120})?\bschrieb\b[^\n]{0,120}:$/m,
  /^El\b[^\n]{4,200}(?:\n[^\n]{0,120})?\bescribió:$/m,
  /^Le\b[^\n]{4,200}(?:\n[^\n]{0,120})?\ba écrit\s?:$/m,
  /^(?:Il|Em)\b[^\n]{4,200}(?:\n[^\n]{0,120})?\b(?:ha scritto|escreveu):$/m,
  /^Op\b[^\n]{4,200}(?:\n[^\n]{0,120})?\bschreef\b[^\n]{0,120}:$/m,
  /^-{2,}\s?(?:Original Message|Ursprüngliche Nachricht|Mensaje original|Message d'origine|Forwarded message)\s?-{2,}$/im,
  /^_{10,}$/m,
  /^(?:From|Von|De|Da):[^\n]+\n(?:Sent|Date|Gesendet|Datum|Enviado|Fecha|Envoyé|Date|Inviato|Data):/im,
]

const signature = /^-- ?$/m

/** Cuts at the first sign of a quoted message or a signature, then the quoted lines at the end. Answers the whole where nothing would be left. */
export function replyText(text: string): string {
  const plain = text.replaceAll('\r\n', '\n').replaceAll(/[\u00A0\u202F]/g, ' ')
  const cuts = [...introductions, signature].map((sign) => plain.search(sign)).filter((at) => at >= 0)
  const kept = plain.slice(0, Math.min(plain.length, ...cuts)).split('\n')
  while (kept.length > 0 && /^\s*(?:>.*)?$/.test(kept.at(-1) ?? '')) kept.pop()
  const reply = kept.join('\n').trim()
  return reply === '' ? plain.trim() : reply
}
