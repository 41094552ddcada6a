/** The same work, left out while so much of it is under way: for what somebody else sees to again, whoever asks how often. */
export function atMost<Args extends readonly unknown[]>(
  limit: number,
  work: (...args: Args) => Promise<void>,
): (...args: Args) => Promise<void> {
  let underWay = 0
  return async (...args) => {
    if (underWay >= limit) return
    underWay += 1
    try {
      await work(...args)
    } finally {
      underWay -= 1
    }
  }
}
