import ipaddr from 'ipaddr.js'
import { percentDecoded } from '../../util/text/percent-decoded.ts'
import { matchesWildcard, toWildcard } from '../../util/text/wildcard-match.ts'

const privateNames = [
  'localhost',
  '*.localhost',
  'localdomain',
  '*.localdomain',
  '*.local',
  '*.internal',
  '*.lan',
  'home.arpa',
  '*.home.arpa',
  'metadata',
  'metadata.*',
  '*.metadata',
  'instance-data',
  'instance-data.*',
].map(toWildcard)

/** Whether an address is public (WEB-02, WEB-03). All special ranges and invalid addresses are not. */
export function isPublicAddress(address: string): boolean {
  if (!isAddress(address)) return false
  // `parse` rather than `process`: IPv6 addresses that embed an IPv4 address are refused.
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv4') return !serviceAddresses.has(parsed.toString())
  const text = parsed.toNormalizedString()
  // Global unicast is 2000::/3, but the library's `unicast` includes more, such as `::7f00:1`.
  return /^[23][0-9a-f]{3}:/.test(text) && !isIsatap.test(text)
}

/**
 * Addresses in public ranges that are internal to a cloud: Azure's wire server hands out credentials of its guests
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16).
 */
const serviceAddresses: ReadonlySet<string> = new Set(['168.63.129.16'])

/** ISATAP: an IPv4 address embedded in an IPv6 one (RFC 5214, section 6.1). */
const isIsatap = /^(?:[\da-f]+:){4}(?:0|200|100|300):5efe:/

/**
 * Reason to refuse the host of a valid URL; undefined if it is acceptable. `host` is the parsed host: lower case, without
 * brackets.
 */
export function hostProblem(host: string, url: string): string | undefined {
  if (host === '') return 'the URL has no host'
  if (isAddress(host)) {
    const bad = [host, decimalReading(url)].find(
      (address) => address !== undefined && !isPublicAddress(address),
    )
    return bad === undefined ? undefined : `${bad} is not a public address`
  }
  if (privateNames.some((name) => matchesWildcard(name, host))) return `${host} is a private name`
  if (!host.includes('.')) return `${host} is not a public name`
  return isName(host) ? undefined : 'the host is not a name that can be looked up'
}

/**
 * Whether a parsed host is an IP address rather than a name. Tests a cheap pattern first, as the library throws and catches an
 * error for any other text.
 */
export function isAddress(host: string): boolean {
  return mayBeAddress.test(host) && ipaddr.isValid(host)
}

/** Decimal, octal and hexadecimal parts between dots, or any text with a colon. */
const mayBeAddress = /^[\da-fx.]+$|:/i

/** A DNS name: labels of 1 to 63 characters, 253 in total. */
function isName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((part) => /^[a-z0-9_-]{1,63}$/.test(part))
}

/**
 * The decimal reading of an IPv4 address with leading zeros, which the URL standard reads as octal but some programs do not;
 * undefined if there are no such zeros.
 */
function decimalReading(url: string): string | undefined {
  const authority = /^https:[/]*([^/?#]*)/i.exec(url)?.[1] ?? ''
  const written = percentDecoded(authority)
    .normalize('NFKC')
    .replace(/:\d*$/, '')
    .replace(/\.$/, '')
  const parts = written.split(/[.。]/)
  if (!parts.every((part) => /^\d+$/.test(part)) || !parts.some((part) => /^0\d/.test(part))) {
    return undefined
  }
  const plain = `https://${parts.map((part) => part.replace(/^0+(?=\d)/, '')).join('.')}/`
  return URL.canParse(plain) ? new URL(plain).hostname : undefined
}
