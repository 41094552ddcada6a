import { isPublicAddress } from './host-problem.ts'

/** Addresses that may be connected to, or the reason why none may. */
export type FoundAddresses =
  | { readonly kind: 'found'; readonly addresses: readonly string[] }
  | { readonly kind: 'blocked'; readonly why: string }

/**
 * Resolves a host by `lookUp` and requires every address to be public (WEB-03, MCP-04): one that is not blocks them all. Rejects
 * as `lookUp` does. `mayReach` names exceptions.
 */
export async function findAddresses(
  host: string,
  lookUp: (host: string) => Promise<readonly string[]>,
  mayReach: (address: string) => boolean = () => false,
): Promise<FoundAddresses> {
  const addresses = await lookUp(host)
  const bad = addresses.find((address) => !isPublicAddress(address) && !mayReach(address))
  if (bad === undefined) return { kind: 'found', addresses }
  return { kind: 'blocked', why: `${host} resolves to ${bad}, which is not a public address` }
}
