import fc from 'fast-check'

const surrogates = { first: 0xd800, count: 0x800 }
const count = 0x11_0000 - surrogates.count

/**
 * Any code point but surrogates, as fast-check's unit `binary`, which first makes a table of a million entries: a second
 * of each process that uses it.
 */
export const anyCharacter = fc.nat({ max: count - 1 }).map(
  (index) => String.fromCodePoint(index < surrogates.first ? index : index + surrogates.count),
  (character) => {
    const point = typeof character === 'string' ? (character.codePointAt(0) ?? -1) : -1
    const index = point < surrogates.first ? point : point - surrogates.count
    if (index < 0 || String.fromCodePoint(point) !== character) throw new Error('no character')
    return index
  },
)
