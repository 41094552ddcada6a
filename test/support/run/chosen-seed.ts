import { inCi } from './in-ci.ts'

/** Repeats the property tests of another run: the seed that it printed. */
export const seedVariable = 'COUNTERSIGN_FUZZ_SEED'

/** The seed that is given, in continuous integration one for each day (UTC), else one by chance. */
export function fuzzSeed(env: NodeJS.ProcessEnv = process.env, now = new Date()): number {
  const given = env[seedVariable]
  if (given !== undefined && given !== '') return wholeNumber(given)
  if (inCi(env)) return Number(now.toISOString().slice(0, 10).replaceAll('-', ''))
  return Math.floor(Math.random() * 2 ** 31)
}

function wholeNumber(text: string): number {
  const seed = Number(text)
  if (!Number.isInteger(seed) || Math.abs(seed) > 2 ** 31)
    throw new Error(`${seedVariable} must be a whole number of 32 bits, this is none: ${text}`)
  return seed
}
