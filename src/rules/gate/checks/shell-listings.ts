import { isWithin } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { ShellAnalysis } from '../shell/analysis.ts'
import { directoriesOf, possibleDirectories } from '../shell/named-paths.ts'
import { keptByPolicy } from './policy.ts'
import { keepNames } from './shell-globs.ts'

/** What is run before a command, for the names that it prints. */
export interface BoxListing {
  readonly text: string
  /** Where it runs, absolute. */
  readonly directory: string
}

const maxListings = 8

/**
 * SHELL-04: the lists of names that the box looks through before a command runs; undefined where it cannot answer for them: what
 * it would see may have changed by the time that they are used, or rules speak of more than paths.
 */
export function listingsForBox(
  { commands, listings, redirections }: ShellAnalysis,
  facts: GateFacts,
): readonly BoxListing[] | undefined {
  if (listings.length === 0) return []
  const known = commands.filter(({ standing }) => standing !== 'perhaps')
  const writes = redirections.some(({ use }) => use === 'write')
  if (writes || !keepNames(known) || keptByPolicy('bash', facts) === undefined) return undefined
  const all = possibleDirectories(commands, facts.workspace)
  const found = listings.flatMap((listing) =>
    directoriesOf(listing, facts.workspace, all).map((directory) => ({
      text: listing.text,
      directory,
    })),
  )
  const isInside = found.every(({ directory }) => isWithin(directory, facts.workspace))
  return isInside && found.length <= maxListings ? found : undefined
}
