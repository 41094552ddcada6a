/** What `work` gives for each item, in their order; at most `most` at once. Rejects with the first failure. */
export async function eachOf<Item, Result>(
  items: readonly Item[],
  most: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  const entries = items.entries()
  const run = async (): Promise<void> => {
    for (const [index, item] of entries) results[index] = await work(item)
  }
  await Promise.all(Array.from({ length: Math.min(most, items.length) }, run))
  return results
}
