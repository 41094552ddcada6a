import type { Redactor } from './create-redactor.ts'
import { redactSpans } from './redact-spans.ts'

/**
 * The text without its secrets, for somebody who judges what the rest of it does; undefined: what would be taken out is more
 * than a secret has, such as a command behind its semicolon.
 */
export function redactAlone(text: string, { find }: Pick<Redactor, 'find'>): string | undefined {
  const spans = find(text)
  if (!spans.every(({ start, end }) => isSecretAlone(text.slice(start, end)))) return undefined
  return redactSpans(text, spans).text
}

/** A key in its armour, or what neither a shell nor a program would take apart. */
function isSecretAlone(secret: string): boolean {
  return plain.test(secret) || armour.test(secret)
}

const plain = /^[^\s;&|<>()`${}\\'"]*$/
const armour =
  /^-----BEGIN [A-Z0-9 ]{1,64}-----[A-Za-z0-9+/=\s]{0,65536}-----END [A-Z0-9 ]{1,64}-----\s{0,2}$/
