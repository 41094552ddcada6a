import { isWithin, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { matchesUse } from '../paths/matches-use.ts'
import { evaluate, narrowToPath, toToolRules } from '../permissions/evaluate.ts'
import type { Positioned, ShellAnalysis } from '../shell/analysis.ts'
import { directoriesOf, isUntold, possibleDirectories } from '../shell/named-paths.ts'
import { deniedByPolicy } from './policy.ts'
import { keepsNames, type PlacedGlob, runsBefore } from './shell-globs.ts'

/** A command run before the actual one, to get the names it prints. */
export interface BoxListing {
  readonly text: string
  /** Working directory, absolute. */
  readonly directory: string
  /** Names are NUL-terminated; absent: they end at line ends, and blanks would split them. */
  readonly isNul?: true
  /** The command may write the listed files. */
  readonly mayWrite?: true
  /** The directory that the files are copied to under their own names, absolute. */
  readonly into?: string
}

/** The listings for the box to check, and the reasons to ask for what it cannot check. */
export interface BoxListings {
  readonly listings: readonly BoxListing[]
  readonly hazards: readonly string[]
}

const maxListings = 8
const tooManyCopies = 'it copies files by too many patterns'
const maxCharacters = 2_000

/**
 * SHELL-04, SHELL-07: the listings of names, and the wildcards, that the box checks before a command runs. It cannot check those
 * whose result may change before they are used, or if rules match more than paths.
 */
export function boxListings(
  analysis: ShellAnalysis,
  globs: readonly PlacedGlob[],
  facts: GateFacts,
): BoxListings {
  const hasPolicy = deniedByPolicy('bash', facts) === undefined
  const all = possibleDirectories(analysis.commands, facts.workspace)
  const isEmpty = analysis.listings.length + globs.length === 0
  const changes = isEmpty ? [] : changesOf(analysis, all, facts)
  const staged = analysis.commands.filter(
    ({ words }) => words[0] === 'git' && words.includes('add'),
  )
  // What is staged changes what git lists.
  const seesAll = (placed: Positioned, text: string): boolean =>
    !hasPolicy &&
    ![...changes, ...(/\bgit\b/.test(text) ? staged : [])].some((one) => runsBefore(one, placed))
  // A file whose lines are names may be written under any name.
  const writes = analysis.redirections.some(({ use }) => use === 'write')
  const hazards: string[] = []
  const found: BoxListing[] = []
  for (const listing of analysis.listings) {
    const { text, isNul } = listing
    if (seesAll(listing, text) && !(writes && text.startsWith('cat ')))
      for (const directory of directoriesOf(listing, facts.workspace, all))
        found.push({ text, directory, ...(isNul && { isNul }) })
    else hazards.push(listing.hazard)
  }
  const seen: PlacedGlob[] = []
  for (const glob of globs) {
    if (seesAll(glob.command, glob.text)) seen.push(glob)
    else if (glob.doubt !== undefined) hazards.push(glob.doubt)
  }
  found.push(...expansions(seen, facts))
  const isTooMuch =
    found.length > maxListings || found.some(({ text }) => text.length > maxCharacters)
  const isInside = found.every(
    ({ directory }) =>
      isWithin(directory, facts.workspace) && !isUntold(directory, facts.workspace),
  )
  if (isInside && !isTooMuch) return { listings: found, hazards }
  const doubts = seen.flatMap(({ doubt, command }) =>
    doubt !== undefined || command.into === undefined ? (doubt ?? []) : tooManyCopies,
  )
  return {
    listings: [],
    hazards: [...hazards, ...analysis.listings.map(({ hazard }) => hazard), ...doubts],
  }
}

/** The commands and redirections that may make or rename files, found once for all listings of a call. */
function changesOf(
  { commands, redirections }: ShellAnalysis,
  directories: readonly string[],
  facts: GateFacts,
): readonly Positioned[] {
  const rules = toToolRules(facts, 'read')
  // A listing by content or age may find a file only because it was written to.
  const isKeptIn = (path: string): boolean =>
    directories.some((directory) => {
      const forms = toPathForms(path, facts.workspace, directory)
      const own = narrowToPath(rules, forms.names)
      const decision = evaluate(own, (rule) => matchesUse(rule, forms, 'read'), { about: path })
      return decision.action === 'deny'
    })
  const known = new Map<string, boolean>()
  const isKept = (path: string): boolean => {
    const found = known.get(path) ?? isKeptIn(path)
    known.set(path, found)
    return found
  }
  return [
    ...commands.filter((command) => command.standing !== 'perhaps' && !keepsNames(command)),
    ...redirections.filter(
      ({ use, path }) =>
        use !== 'read' && (path === undefined || !harmless.test(path) || isKept(path)),
    ),
  ]
}

/** A new file of such a name is not an option and matches no special path. */
const harmless = /^(?:\.\/)?(?:\w[\w+,-]*\/)*\w[\w.+,-]*$/

/** One listing for all wildcards that are used in the same way in one directory. */
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
