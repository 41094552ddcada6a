import type { RedisLink } from './redis-link.ts'

const settings = ':meta'

/** Every queue that has left anything under the prefix: none is without its settings. Reads the names of all keys. */
export async function listRedisQueues(link: RedisLink, prefix: string): Promise<readonly string[]> {
  const names = new Set<string>()
  const match = `${prefix.replace(/[\\*?[\]]/g, '\\$&')}:*${settings}`
  let cursor = '0'
  do {
    const from = cursor
    const [next, keys] = await link.ask(() =>
      link.client.scan(from, 'MATCH', match, 'COUNT', 1_000),
    )
    for (const key of keys) names.add(key.slice(prefix.length + 1, -settings.length))
    cursor = next
  } while (cursor !== '0')
  // Another prefix may begin with ours; the names of queues hold no colon.
  return [...names].filter((name) => !name.includes(':'))
}
