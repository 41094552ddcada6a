/** The same work for whoever asks while it is under way: many askers cost as much as one, and none piles up. */
export function shareInFlight<T>(work: () => Promise<T>): () => Promise<T> {
  let underWay: Promise<T> | undefined
  return () => {
    underWay ??= work().finally(() => {
      underWay = undefined
    })
    return underWay
  }
}
