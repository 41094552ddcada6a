import fc from 'fast-check'
import { fuzzSeed } from './chosen-seed.ts'
import { isNightly } from './nightly.ts'

/** How long one property draws values, unless the run is a nightly one, which draws all that a property names. Drawing the first takes part of it. */
const timeLimitMs = 500

/** Every property of a run sees values of one seed, which the run prints at its start and each failure repeats. */
fc.configureGlobal({
  ...fc.readConfigureGlobal(),
  seed: fuzzSeed(),
  ...(isNightly ? {} : { interruptAfterTimeLimit: timeLimitMs }),
})
