import { isNightly } from '../../support/run/nightly.ts'

/** How often a kill is repeated; even. */
export const killRounds = isNightly ? 20 : 4
