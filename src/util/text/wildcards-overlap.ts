import type { Wildcard } from './wildcard-match.ts'

/**
 * Whether some text may match both. `?` is taken for any text, so that two that just miss each other may be said to overlap.
 * Time grows with the product of their lengths.
 */
export function wildcardsOverlap(one: Wildcard, other: Wildcard): boolean {
  return formsOf(one).some((first) => formsOf(other).some((second) => tokensOverlap(first, second)))
}

type Tokens = Wildcard['tokens']

/** `git push *` stands for `git push` too. */
function formsOf({ tokens, alone }: Wildcard): readonly Tokens[] {
  return alone === undefined ? [tokens] : [tokens, ...formsOf(alone)]
}

/** From the ends: whether what is left of both can be the same text. */
function tokensOverlap(one: Tokens, other: Tokens): boolean {
  let below: readonly boolean[] = []
  for (let at = one.length; at >= 0; at -= 1) {
    const row: boolean[] = []
    for (let place = other.length; place >= 0; place -= 1) {
      const isEnd = at === one.length && place === other.length
      const [a, b] = [one[at], other[place]]
      const isOpen = isAny(a) || isAny(b)
      const skips = below[place] === true || row[place + 1] === true
      const isSame = a !== undefined && a === b && below[place + 1] === true
      row[place] = isEnd || (isOpen ? skips : isSame)
    }
    below = row
  }
  return below[0] === true
}

function isAny(token: Tokens[number] | undefined): boolean {
  return token === 'any' || token === 'one'
}
