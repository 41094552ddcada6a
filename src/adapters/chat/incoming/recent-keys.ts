/** A set of the most recently added keys, bounded in size. */
export interface RecentKeys {
  add(key: string): void
  forget(key: string): void
  has(key: string): boolean
}

export function createRecentKeys(limit: number): RecentKeys {
  const keys = new Set<string>()
  return {
    add: (key) => {
      keys.delete(key)
      keys.add(key)
      const [oldest] = keys
      if (keys.size > limit && oldest !== undefined) keys.delete(oldest)
    },
    forget: (key) => void keys.delete(key),
    has: (key) => keys.has(key),
  }
}
