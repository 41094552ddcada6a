import { Resolver } from 'node:dns/promises'

/** c-ares: each try of each server waits this long, then longer. */
const tryMs = 2_500
const tries = 2

/**
 * Every address of a name, IPv4 first. By c-ares rather than the system's own way: that one cannot be called off, and
 * holds a thread that file operations wait for. Rejects when neither kind of address is known.
 */
export async function lookUp(
  host: string,
  signal: AbortSignal,
  nameServers?: readonly string[],
): Promise<readonly string[]> {
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
