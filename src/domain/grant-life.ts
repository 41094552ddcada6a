/** APPR-15: ends that a grant may have: its turn's, a time, or so many uses. */
export const grantEnds = ['turn', '15m', '1h', '5x'] as const
export type GrantEnd = (typeof grantEnds)[number]

/** How long a grant lives; `always`: until the session is cleared or somebody takes it back. */
export type GrantLife = GrantEnd | 'always'

/** What an end is made of; all absent: the end of the turn. */
export interface GrantTerms {
  readonly forMs?: number
  /** Calls beside the one that was approved with it. */
  readonly uses?: number
}

export const grantTerms: Readonly<Record<GrantEnd, GrantTerms>> = {
  turn: {},
  '15m': { forMs: 15 * 60_000 },
  '1h': { forMs: 60 * 60_000 },
  '5x': { uses: 5 },
}

/** A grant that can be taken back: one of a session, or a rule that *Always* wrote into a worker's file. */
export interface GrantRef {
  readonly kind: 'session' | 'file'
  readonly id: string
}

/** How long, behind what it allows: `git push * for 1 h`. */
export const grantWords: Readonly<Record<GrantLife, string>> = {
  turn: 'for this turn',
  '15m': 'for 15 min',
  '1h': 'for 1 h',
  '5x': '5 more times',
  always: 'always',
}

/** A word that names an end, as people write it after `/always`. */
export function toGrantEnd(word: string): GrantEnd | undefined {
  const plain = word.toLowerCase().replace('×', 'x')
  return grantEnds.find((end) => end === plain)
}
