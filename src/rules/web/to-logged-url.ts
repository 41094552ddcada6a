import { percentDecoded } from '../../util/text/percent-decoded.ts'
import { shorten } from '../../util/text/shorten.ts'

const mostCharacters = 2_000
const secretName =
  /token|secret|passw|pwd|^pass$|key|sig|auth|cred|session|^s?sid$|jwt|bearer|otp|nonce|^code$|^state$|^hash$|^hmac$|^pin$/i
const mark = '[redacted]'

/** WEB-07: a URL as it may be logged: no user name, password or fragment, and no value of the query that looks secret. */
export function toLoggedUrl(url: string): string {
  if (!URL.canParse(url)) return '[not a URL]'
  const { protocol, host, pathname, search } = new URL(url)
  const path = pathname.replaceAll(/;[^/?]*/g, (parameters) => loggedQuery(parameters, ';'))
  return shorten(`${protocol}//${host}${path}${loggedQuery(search, '&')}`, mostCharacters)
}

function loggedQuery(query: string, between: string): string {
  if (query === '') return ''
  const parts = query.slice(1).split(between).map(loggedPart)
  return `${query[0]}${parts.join(between)}`
}

function loggedPart(part: string): string {
  const [name = '', ...rest] = part.split('=')
  if (rest.length === 0) return looksSecret(percentDecoded(part)) ? mark : part
  const value = percentDecoded(rest.join('='))
  const isSecret = value !== '' && (secretName.test(percentDecoded(name)) || looksSecret(value))
  return isSecret ? `${name}=${mark}` : part
}

/** Long, in one piece, and of letters and digits mixed: a word or a name seldom is. */
function looksSecret(value: string): boolean {
  if (value.includes('://')) return /@|[?&;]/.test(value)
  return (
    value.length >= 20 && /^[\w.~+/=-]+$/.test(value) && /\d/.test(value) && /[a-z]/i.test(value)
  )
}
