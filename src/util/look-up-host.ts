import { Resolver } from 'node:dns/promises'
import { isIP, type LookupFunction } from 'node:net'

/** Timeout of the first DNS query in milliseconds; c-ares increases it for later ones. */
const tryMs = 2_500

const tries = 2

/**
 * Resolves a name to all addresses, IPv4 first, by c-ares: the system's resolver cannot be cancelled and blocks a thread
 * that file operations need. An address resolves to itself. Rejects if there are none, or when the signal fires.
 * `nameServers` are `address:port`; absent: the system's.
 */
export async function lookUpHost(
  host: string,
  signal: AbortSignal,
  nameServers?: readonly string[],
): Promise<readonly string[]> {
  if (isIP(host) !== 0) return [host]
  signal.throwIfAborted()
  const resolver = new Resolver({ timeout: tryMs, tries })
  if (nameServers !== undefined) resolver.setServers(nameServers)
  const cancel = () => resolver.cancel()
  signal.addEventListener('abort', cancel, { once: true })
  try {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    signal.throwIfAborted()
    const [first] = answers
    if (answers.every(({ status }) => status === 'rejected')) {
      throw first.status === 'rejected' ? first.reason : new Error('no answer')
    }
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  } finally {
    signal.removeEventListener('abort', cancel)
  }
}

/** Creates a `lookup` for a socket that answers with these addresses, whatever the name resolves to by now. */
export function pinnedTo(addresses: readonly string[]): LookupFunction {
  const entries = addresses.map((address) => ({ address, family: isIP(address) }))
  return (_name, { all }, callback) => {
    const [first] = entries
    if (first === undefined) callback(new Error('no address is known'), '')
    else if (all === true) callback(null, entries)
    else callback(null, first.address, first.family)
  }
}

/**
 * Milliseconds after which a silent address is abandoned for the next; Node's default of 250 ms is too short for distant
 * servers.
 */
export const addressAttemptMs = 2_000
