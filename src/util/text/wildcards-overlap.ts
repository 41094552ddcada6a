import type { Wildcard } from './wildcard-match.ts'

/**
 * Whether some text may match both. `?` counts as any text, so near misses may be reported as overlaps. Time grows with the
 * product of the lengths. `stands`: decides what a wildcard of the other pattern may match, from a code unit of the first and the
 * one after it; default: anything.
 */
export function wildcardsOverlap(
  one: Wildcard,
  other: Wildcard,
  stands: (unit: number, next: number | undefined) => boolean = () => true,
): boolean {
  return formsOf(one).some((first) =>
    formsOf(other).some((second) => tokensOverlap(first, second, stands)),
  )
}

type Tokens = Wildcard['tokens']

/** `git push *` also matches `git push`. */
function formsOf({ tokens, alone }: Wildcard): readonly Tokens[] {
  return alone === undefined ? [tokens] : [tokens, ...formsOf(alone)]
}

/** Compares from the ends: whether the remaining tokens of both can match the same text. */
function tokensOverlap(
  one: Tokens,
  other: Tokens,
  stands: (unit: number, next: number | undefined) => boolean,
): boolean {
  let below: readonly boolean[] = []
  for (let at = one.length; at >= 0; at -= 1) {
    const row: boolean[] = []
    for (let place = other.length; place >= 0; place -= 1) {
      const isEnd = at === one.length && place === other.length
      const [a, b] = [one[at], other[place]]
      const isOpen = isAny(a) || isAny(b)
      const isTaken = typeof a !== 'number' || stands(a, unitOf(one[at + 1]))
      const skips = (isTaken && below[place] === true) || row[place + 1] === true
      const isSame = a !== undefined && a === b && below[place + 1] === true
      row[place] = isEnd || (isOpen ? skips : isSame)
    }
    below = row
  }
  return below[0] === true
}

function unitOf(token: Tokens[number] | undefined): number | undefined {
  return typeof token === 'number' ? token : undefined
}

function isAny(token: Tokens[number] | undefined): boolean {
  return token === 'any' || token === 'one'
}
