import { expect, test } from 'vitest'
import { fuzzSeed } from './chosen-seed.ts'

const day = new Date('2026-11-25T23:59:59Z')

test('STYLE property tests draw by the seed that is given, by the day in CI, and else by chance', () => {
  expect(fuzzSeed({ COUNTERSIGN_FUZZ_SEED: '-370279113', CI: 'true' }, day)).toBe(-370279113)
  expect(fuzzSeed({ CI: 'true', COUNTERSIGN_FUZZ_SEED: '' }, day)).toBe(20_261_125)
  const drawn = Array.from({ length: 5 }, () => fuzzSeed({}, day))
  expect(new Set(drawn).size).toBeGreaterThan(1)
  for (const seed of drawn) expect(Number.isInteger(seed)).toBe(true)
  expect(() => fuzzSeed({ COUNTERSIGN_FUZZ_SEED: 'x' }, day)).toThrow(/COUNTERSIGN_FUZZ_SEED/)
})
