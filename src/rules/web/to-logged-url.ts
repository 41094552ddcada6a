import { percentDecoded } from '../../util/text/percent-decoded.ts'
import { shorten } from '../../util/text/shorten.ts'

const maxCharacters = 2_000
const secretName =
  /token|secret|passw|pwd|^pass$|key|sig|auth|cred|session|^s?sid$|jwt|bearer|otp|nonce|^code$|^state$|^hash$|^hmac$|^pin$/i
const mark = '[redacted]'

/** Prepares a URL for logs (WEB-07): without user name, password and fragment, and with secret values of the query redacted. */
export function toLoggedUrl(url: string): string {
  if (!URL.canParse(url)) return '[not a URL]'
  const { protocol, host, pathname, search } = new URL(url)
  const path = pathname.replaceAll(/;[^/?]*/g, (parameters) => toLoggedQuery(parameters, ';'))
  return shorten(`${protocol}//${host}${path}${toLoggedQuery(search, '&')}`, maxCharacters)
}

function toLoggedQuery(query: string, between: string): string {
  if (query === '') return ''
  const parts = query.slice(1).split(between).map(toLoggedParameter)
  return `${query[0]}${parts.join(between)}`
}

function toLoggedParameter(part: string): string {
  const [name = '', ...rest] = part.split('=')
  if (rest.length === 0) return looksSecret(percentDecoded(part)) ? mark : part
  const value = percentDecoded(rest.join('='))
  const isSecret = value !== '' && (secretName.test(percentDecoded(name)) || looksSecret(value))
  return isSecret ? `${name}=${mark}` : part
}

/** Whether a value is long, without blanks, and mixes letters and digits. */
function looksSecret(value: string): boolean {
  if (value.includes('://')) return /@|[?&;]/.test(value)
  return (
    value.length >= 20 && /^[\w.~+/=-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value)
  )
}
