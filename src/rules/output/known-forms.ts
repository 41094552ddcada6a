/** Shorter values are left alone: they would turn ordinary words into marks. In UTF-16 units. */
const shortestSecret = 8

/**
 * The texts under which a known secret may show up: as it is, URL-encoded, escaped in JSON, in hexadecimal, and
 * inside base64 (both alphabets) at any of the three places it can take in a larger encoded text.
 */
export function knownForms(secret: string): string[] {
  if (secret.length < shortestSecret) return []
  const bytes = Buffer.from(secret)
  const base64 = [0, 1, 2].map((offset) => base64Core(bytes, offset))
  const forms = [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((form) => form.replaceAll('+', '-').replaceAll('/', '_')),
  ]
  return [...new Set(forms)].filter((form) => form.length >= shortestSecret)
}

// The digits that hold nothing but bits of the secret, when `offset` foreign bytes stand before it.
function base64Core(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64')
  const first = Math.ceil((offset * 8) / 6)
  const last = Math.floor(((offset + bytes.length) * 8) / 6)
  return text.slice(first, last)
}
