import { inCi } from '../support/in-ci.ts'

/** How often a kill is repeated: 20 times, 8 where every change is waited for. */
export const killRounds = inCi() ? 8 : 20
