/** A person's words in at most so many UTF-16 units, with `…` where some are left out; no character is split. */
export function cutReason(reason: string, most: number): string {
  if (reason.length <= most) return reason
  return `${reason.slice(0, most - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}
