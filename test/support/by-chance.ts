/** Draws by chance, the same ones for the same seed. `rates` are shares of 1, tried in order; undefined: none of them. */
export function byChance<Drawn>(
  seed: number,
  rates: readonly (readonly [Drawn, number])[],
): () => Drawn | undefined {
  const next = randomNumbers(seed)
  return () => {
    let drawn = next()
    return rates.find(([, rate]) => {
      drawn -= rate
      return drawn < 0
    })?.[0]
  }
}

/** mulberry32: numbers in [0, 1). */
export function randomNumbers(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
