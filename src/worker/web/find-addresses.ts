import { isIP } from 'node:net'
import { isPublicAddress } from '../../rules/web/host-problem.ts'
import { lookUp } from './look-up.ts'
import type { WebHooksForTests } from './web-options.ts'

export type Addresses =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  | { readonly kind: 'blocked'; readonly why: string }

/** WEB-03: the addresses of a host, every one of them public; one that is not refuses all. Rejects when none is known. */
export async function findAddresses(
  host: string,
  signal: AbortSignal,
  hooksForTests?: WebHooksForTests,
): Promise<Addresses> {
  const isLiteral = isIP(host) !== 0
  const addresses = isLiteral ? [host] : await lookUp(host, signal, hooksForTests?.nameServers)
  const mayReach = hooksForTests?.mayReach ?? (() => false)
  const bad = addresses.find((address) => !isPublicAddress(address) && !mayReach(address))
  if (bad === undefined) return { kind: 'found', addresses }
  return { kind: 'blocked', why: `${host} resolves to ${bad}, which is not a public address` }
}
