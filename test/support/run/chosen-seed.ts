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

/** The seed of all properties of a run, printed once, however often the configuration of the tests is read in it. */
export function seedOfRun(env: NodeJS.ProcessEnv = process.env): number {
  const seed = fuzzSeed(env)
  if (env[seedVariable] === String(seed)) return seed
  env[seedVariable] = String(seed)
  process.stdout.write(`property tests: seed ${seed}; ${seedVariable}=${seed} repeats them\n`)
  return seed
}

function wholeNumber(text: string): number {
  const seed = Number(text)
  if (!Number.isInteger(seed) || Math.abs(seed) > 2 ** 31)
    throw new Error(`${seedVariable} must be a whole number of 32 bits, this is none: ${text}`)
  return seed
}
