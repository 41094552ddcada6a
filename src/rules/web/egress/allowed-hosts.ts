import { z } from 'zod'
import { hostProblem, isAddress } from '../host-problem.ts'

/** How a host may be spoken to: by TLS in a tunnel, or by requests that anybody on the way can read. */
export type EgressScheme = 'https' | 'http'

/** Entry of a list of hosts that a program in a box may reach (MCP-04). */
export interface AllowedHost {
  readonly scheme: EgressScheme
  /** One name, all names below one (`*.example.com`), all public names (`*`), or one address. */
  readonly kind: 'name' | 'below' | 'any' | 'address'
  /** Lower case, labels in ASCII, without final dot and brackets; empty for `any`. */
  readonly name: string
  readonly port: number
}

const defaultPorts = { https: 443, http: 80 } as const

/**
 * Parses an entry: `api.example.com`, `*.example.com`, `*`, `host:port` or an address, after `http://` for requests without TLS.
 * The port is 443, or 80 after `http://`. Private names are refused; private addresses can be listed, as the operator's word.
 */
export const allowedHost = z
  .string()
  .max(300)
  .transform((text, context): AllowedHost => {
    const entry = toAllowedHost(text)
    if (typeof entry !== 'string') return entry
    context.addIssue({ code: 'custom', message: entry })
    return z.NEVER
  })

const form = /^(?:(https?):\/\/)?(\*\.)?(\*|\[[^\]]+\]|[^\s:/?#@[\]*\\%]+)(?::(\d{1,5}))?$/i

/** Returns the entry, or what is wrong with it. */
function toAllowedHost(text: string): AllowedHost | string {
  const [all, written = 'https', below, host = '', port] = form.exec(text) ?? []
  if (all === undefined)
    return 'a host is written as api.example.com, *.example.com, host:port or http://host'
  const scheme = written.toLowerCase() === 'http' ? 'http' : 'https'
  const entry = { scheme, port: port === undefined ? defaultPorts[scheme] : Number(port) } as const
  if (entry.port < 1 || entry.port > 65_535) return `there is no port ${entry.port}`
  if (host === '*') return below ? 'write * or *.example.com' : { ...entry, kind: 'any', name: '' }
  const name = parsedHost(host)
  if (name === undefined) return `${host} is not a host`
  if (isAddress(name)) {
    if (below) return 'an address has no names below it'
    if (!host.startsWith('[') && name !== host) return `write the address as ${name}`
    return { ...entry, kind: 'address', name }
  }
  const problem = hostProblem(below ? `x.${name}` : name, '')
  if (problem !== undefined) return problem
  return { ...entry, kind: below ? 'below' : 'name', name }
}

/** Parses a host as URLs do: lower case, labels in ASCII, numbers as addresses; without final dot and brackets. */
export function parsedHost(host: string): string | undefined {
  const parsed = URL.parse(`https://${host}/`)
  if (parsed === null || parsed.hostname.endsWith('..')) return undefined
  return parsed.hostname.replace(/\.$/, '').replace(/^\[(.*)\]$/, '$1')
}
