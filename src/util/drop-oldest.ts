/** Evicts the oldest entry when a map exceeds `most` entries. */
export function dropOldest(map: Map<unknown, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
