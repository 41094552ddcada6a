/** Whether a JSON value is nested deeper than this. Iterative, as somebody else chooses the depth. */
export function isDeeperThan(root: unknown, most: number): boolean {
  let level: readonly unknown[] = [root]
  for (let depth = 0; depth <= most; depth += 1) {
    level = level.flatMap((value) =>
      typeof value === 'object' && value !== null ? Object.values(value) : [],
    )
    if (level.length === 0) return false
  }
  return true
}
