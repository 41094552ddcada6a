/** How long to wait before try `attempt` + 1 (counted from 0), in milliseconds: doubling, at most `maxMs`, spread over its upper half. */
export function backoffMs(attempt: number, baseMs: number, maxMs: number): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(attempt, 30))
  return Math.round(full * (0.5 + Math.random() / 2))
}
