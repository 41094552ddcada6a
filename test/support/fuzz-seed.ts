import fc from 'fast-check'
import { inCi } from './in-ci.ts'

/**
 * In continuous integration every property sees the same values each time, so that a red run names a change and not a
 * throw of the dice; everywhere else the values are new each time, and a failure prints its seed.
 */
if (inCi()) fc.configureGlobal({ ...fc.readConfigureGlobal(), seed: 20_261_121 })
