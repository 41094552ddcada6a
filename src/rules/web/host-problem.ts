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

/** WEB-02, WEB-03: whether an address is a public one; every other range is refused, as is what cannot be read. */
export function isPublicAddress(address: string): boolean {
  if (!isAddress(address)) return false
  // Not `process`: an IPv4 address in an IPv6 one is refused, whatever it is of.
  const parsed = ipaddr.parse(address)
  if (parsed.range() !== 'unicast') return false
  if (parsed.kind() === 'ipv4') return !serviceAddresses.has(parsed.toString())
  const text = parsed.toNormalizedString()
  // Global unicast is 2000::/3; the library calls more than that unicast (`::7f00:1` for one).
  return /^[23][0-9a-f]{3}:/.test(text) && !isIsatap.test(text)
}

/**
 * Public by their range, and answered by the cloud's own machine: Azure's wire server
 * (https://learn.microsoft.com/azure/virtual-network/what-is-ip-address-168-63-129-16), which hands out credentials of its guests.
 */
const serviceAddresses: ReadonlySet<string> = new Set(['168.63.129.16'])

/** An IPv4 address inside an IPv6 one, whatever it is of (ISATAP, RFC 5214, section 6.1). */
const isIsatap = /^(?:[\da-f]+:){4}(?:0|200|100|300):5efe:/

/** Why nobody asks for the host of `url`, a URL that could be read; `host` as it was read, lower case, without brackets. */
export function hostProblem(host: string, url: string): string | undefined {
  if (host === '') return 'the URL has no host'
  if (isAddress(host)) {
    const bad = [host, otherReading(url)].find(
      (address) => address !== undefined && !isPublicAddress(address),
    )
    return bad === undefined ? undefined : `${bad} is not a public address`
  }
  if (privateNames.some((name) => matchesWildcard(name, host))) return `${host} is a private name`
  if (!host.includes('.')) return `${host} is not a public name`
  return isName(host) ? undefined : 'the host is not a name that can be looked up'
}

/** The library throws and catches an error for whatever is none, which takes longer than all the rest of a verdict. */
function isAddress(host: string): boolean {
  return mayBeAddress.test(host) && ipaddr.isValid(host)
}

/** Decimal, octal and hexadecimal parts between dots, or anything with a colon. */
const mayBeAddress = /^[\da-fx.]+$|:/i

/** As DNS has it: parts of 1 to 63 characters, 253 in all. */
function isName(host: string): boolean {
  return host.length <= 253 && host.split('.').every((part) => /^[a-z0-9_-]{1,63}$/.test(part))
}

/**
 * The standard takes `012` for octal, others take it for twelve: an IPv4 address written with such zeros is tried as that too.
 * undefined: it is not written so.
 */
function otherReading(url: string): string | undefined {
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
