import fc from 'fast-check'
import { fuzzSeed } from './chosen-seed.ts'

/** Every property of a run sees values of one seed, which the run prints at its start and each failure repeats. */
fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: fuzzSeed() })
