import { isWithin, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { Placed, ShellAnalysis } from '../shell/analysis.ts'
import { directoriesOf, possibleDirectories } from '../shell/named-paths.ts'
import { keptByPolicy } from './policy.ts'
import { keepsNames, type PlacedGlob, runsBefore } from './shell-globs.ts'

/** What is run before a command, for the names that it prints. */
export interface BoxListing {
  readonly text: string
  /** Where it runs, absolute. */
  readonly directory: string
  /** Whether a NUL ends each name; else a line end does, and a blank would split it. */
  readonly isNul?: true
  /** Whether the command may write the files that are named. */
  readonly mayWrite?: true
  /** The directory that the files are copied to under their own names, absolute. */
  readonly into?: string
}

/** What the box looks through, and why the command asks for what it cannot look through. */
export interface BoxListings {
  readonly listings: readonly BoxListing[]
  readonly hazards: readonly string[]
}

const maxListings = 8
const maxCharacters = 2_000

/**
 * SHELL-04, SHELL-07: the lists of names, and the wildcards, that the box looks through before a command runs. It cannot answer
 * for them where what it would see may have changed by the time that they are used, or where rules speak of more than paths.
 */
export function boxListings(
  analysis: ShellAnalysis,
  globs: readonly PlacedGlob[],
  facts: GateFacts,
): BoxListings {
  const hasPolicy = keptByPolicy('bash', facts) === undefined
  const all = possibleDirectories(analysis.commands, facts.workspace)
  const seesAll = (placed: Placed): boolean => !hasPolicy && isUnchanged(analysis, placed)
  const hazards: string[] = []
  const found: BoxListing[] = []
  for (const listing of analysis.listings) {
    const { text, isNul } = listing
    if (seesAll(listing))
      for (const directory of directoriesOf(listing, facts.workspace, all))
        found.push({ text, directory, ...(isNul && { isNul }) })
    else hazards.push(listing.hazard)
  }
  const seen = globs.filter(({ command }) => seesAll(command))
  const isUnseen = (glob: PlacedGlob): boolean => !seen.includes(glob)
  hazards.push(...globs.filter(isUnseen).flatMap(({ doubt }) => doubt ?? []))
  found.push(...expansions(seen, facts))
  const isTooMuch =
    found.length > maxListings || found.some(({ text }) => text.length > maxCharacters)
  const isInside = found.every(({ directory }) => isWithin(directory, facts.workspace))
  if (isInside && !isTooMuch) return { listings: found, hazards }
  const doubts = seen.flatMap(({ doubt }) => doubt ?? [])
  return {
    listings: [],
    hazards: [...hazards, ...analysis.listings.map(({ hazard }) => hazard), ...doubts],
  }
}

/** Whether all that may run before something leaves the names of files as they are. */
function isUnchanged({ commands, redirections }: ShellAnalysis, own: Placed): boolean {
  const areKept = commands
    .filter((other) => other.standing !== 'perhaps' && runsBefore(other, own))
    .every(keepsNames)
  return (
    areKept &&
    redirections.every((to) => to.use === 'read' || !runsBefore(to, own) || isHarmless(to.path))
  )
}

/** A new file of such a name is no option, and no place that rules speak of was looked for by it. */
function isHarmless(path: string | undefined): boolean {
  return path !== undefined && /^(?:\.\/)?(?:\w[\w+,-]*\/)*\w[\w.+,-]*$/.test(path)
}

/** One list for all wildcards of a directory that are used in the same way. */
function expansions(globs: readonly PlacedGlob[], facts: GateFacts): readonly BoxListing[] {
  const groups = new Map<string, BoxListing & { readonly texts: Set<string> }>()
  for (const { command, text, directory } of globs) {
    const into =
      command.into === undefined
        ? undefined
        : toPathForms(command.into, facts.workspace, directory).absolute
    const mayWrite = command.mayWrite === true
    const key = JSON.stringify([directory, mayWrite, into])
    const group = groups.get(key) ?? {
      ...{ texts: new Set<string>(), text: '', directory, isNul: true as const },
      ...(mayWrite && { mayWrite }),
      ...(into !== undefined && { into }),
    }
    groups.set(key, group)
    group.texts.add(text)
  }
  return [...groups.values()].map(({ texts, ...listing }) => ({
    ...listing,
    text: `printf '%s\\0' ${[...texts].join(' ')}`,
  }))
}
