/** Nobody is waited for longer than this, whatever it asks. */
const longestMs = 900_000

/** Milliseconds that a `Retry-After` asks for (RFC 9110, 10.2.3): seconds or a date. undefined: it asks for none. */
export function parseRetryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? ''
  if (/^\d{1,9}$/.test(text)) return Math.min(Number(text) * 1_000, longestMs)
  const at = /^[A-Za-z]{3}/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(at) ? undefined : Math.min(Math.max(at - now, 0), longestMs)
}
