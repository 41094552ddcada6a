const firstMs = 1_000
const longestMs = 30_000

/** How long to wait after the `failures`th failure in a row: 1 s, doubled each time, at most 30 s; up to a half less by chance. */
export function backoffMs(failures: number): number {
  const full = Math.min(longestMs, firstMs * 2 ** Math.max(0, failures - 1))
  return full * (1 - Math.random() / 2)
}
