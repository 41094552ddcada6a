import type { Wildcard } from './wildcard-match.ts'

/**
 * Whether some text may match both. `?` is taken for any text, so that two that just miss each other may be said to overlap.
 * Time grows with the product of their lengths. `stands`: what a wildcard of the other may stand for, as a code unit of the first
 * and the one behind it; anything by default.
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

/** `git push *` stands for `git push` too. */
function formsOf({ tokens, alone }: Wildcard): readonly Tokens[] {
  return alone === undefined ? [tokens] : [tokens, ...formsOf(alone)]
}

/** From the ends: whether what is left of both can be the same text. */
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
