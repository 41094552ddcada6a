import { isNightly } from '../support/nightly.ts'

/** How often a kill is repeated; even. */
export const killRounds = isNightly ? 20 : 4
