/** Keeps a map at `most` entries after one was added: what stands in it longest goes. */
export function dropOldest(map: Map<unknown, unknown>, most: number): void {
  const [oldest] = map.keys()
  if (map.size > most && oldest !== undefined) map.delete(oldest)
}
