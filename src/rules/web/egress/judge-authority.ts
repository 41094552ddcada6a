import { hostProblem, isAddress } from '../host-problem.ts'
import { type AllowedHost, type EgressScheme, parsedHost } from './allowed-hosts.ts'

/** Host and port that a program in a box wants to reach. */
export interface EgressTarget {
  /** Lower case, without final dot and brackets. */
  readonly host: string
  readonly port: number
  readonly isAddress: boolean
}

/** Result for an authority: `listed` with the scheme of its entry, `unlisted` for a public name that is in no entry. */
export type AuthorityVerdict =
  | { readonly kind: 'listed'; readonly target: EgressTarget; readonly scheme: EgressScheme }
  | { readonly kind: 'unlisted'; readonly target: EgressTarget }
  | { readonly kind: 'refused'; readonly why: string }

/** Names in ASCII, addresses in brackets where they have colons, and always a port (RFC 9110, 7.2 and 9.3.6). */
const form = /^(\[[\da-f:.]{2,45}\]|[a-z\d._-]{1,254}):(\d{1,5})$/i

/**
 * Judges `host:port` as it was written (MCP-04, THREAT-36), before any look-up. An address, in any spelling, is refused unless it is
 * listed and written in its usual form: what reads numbers otherwise than we do is never asked about them. `scheme` is how the program
 * will speak, where that is known; of two entries for one host that of `https` counts.
 */
export function judgeAuthority(
  authority: string,
  list: readonly AllowedHost[],
  scheme?: EgressScheme,
): AuthorityVerdict {
  const [, written = '', digits = ''] = form.exec(authority) ?? []
  const port = Number(digits)
  if (written === '' || port < 1 || port > 65_535) return refused('this is not a host with a port')
  const host = parsedHost(written)
  if (host === undefined) return refused('this is not a host')
  const target = { host, port, isAddress: isAddress(host) }
  const isUsual = written.startsWith('[') || written.toLowerCase().replace(/\.$/, '') === host
  if (!isUsual) return refused(`this is another spelling of ${host}`)
  const schemes: readonly EgressScheme[] = scheme === undefined ? ['https', 'http'] : [scheme]
  const found = schemes.find((one) =>
    list.some((entry) => entry.scheme === one && matches(entry, target)),
  )
  if (target.isAddress) {
    if (found === undefined) return refused('addresses are not connected to unless they are listed')
    return { kind: 'listed', target, scheme: found }
  }
  const problem = hostProblem(host, '')
  if (problem !== undefined) return refused(problem)
  return found === undefined
    ? { kind: 'unlisted', target }
    : { kind: 'listed', target, scheme: found }
}

function matches(entry: AllowedHost, { host, port, isAddress }: EgressTarget): boolean {
  if (entry.port !== port || isAddress !== (entry.kind === 'address')) return false
  if (entry.kind === 'any') return true
  return entry.kind === 'below' ? host.endsWith(`.${entry.name}`) : entry.name === host
}

function refused(why: string): AuthorityVerdict {
  return { kind: 'refused', why }
}
