import type { Redactor } from './create-redactor.ts'
import { redactSpans } from './redact-spans.ts'

/**
 * The text without its secrets, for a reviewer who judges what the rest does; undefined if a span could contain more than the
 * secret, such as a command after a semicolon.
 */
export function redactExactly(text: string, { find }: Pick<Redactor, 'find'>): string | undefined {
  const spans = find(text)
  if (!spans.every(({ start, end }) => isExactSecret(text.slice(start, end)))) return undefined
  return redactSpans(text, spans).text
}

/** A key with its PEM markers, or text that neither a shell nor a program would split. */
function isExactSecret(secret: string): boolean {
  return unsplittable.test(secret) || pemBlock.test(secret)
}

const unsplittable = /^[^\s;&|<>()`${}\\'"]*$/
const pemBlock =
  /^-----BEGIN [A-Z0-9 ]{1,64}-----[A-Za-z0-9+/=\s]{0,65536}-----END [A-Z0-9 ]{1,64}-----\s{0,2}$/
