/** APPR-15: possible ends of a grant: with its turn, after a time, or after a number of uses. */
export const grantEnds = ['turn', '15m', '1h', '5x'] as const
export type GrantEnd = (typeof grantEnds)[number]

/** Lifetime of a grant. `always` lasts until the session is cleared or the grant is revoked. */
export type GrantLife = GrantEnd | 'always'

/** Terms of a grant; if all are absent, it ends with its turn. */
export interface GrantTerms {
  readonly forMs?: number
  /** Number of calls in addition to the one that was approved with it. */
  readonly uses?: number
}

export const grantTerms: Readonly<Record<GrantEnd, GrantTerms>> = {
  turn: {},
  '15m': { forMs: 15 * 60_000 },
  '1h': { forMs: 60 * 60_000 },
  '5x': { uses: 5 },
}

/** Grant that can be revoked: one of a session, or a rule that *Always* wrote into a worker's rules file. */
export interface GrantRef {
  readonly kind: 'session' | 'file'
  readonly id: string
}

/** Parses the word after `/always`; undefined if it names no end. */
export function toGrantEnd(word: string): GrantEnd | undefined {
  const plain = word.toLowerCase().replace('×', 'x')
  return grantEnds.find((end) => end === plain)
}
