import { isWithin, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { incomingFilesOf } from '../orders/arriving-files.ts'
import type { Positioned, ShellAnalysis } from '../shell/analysis.ts'
import { directoriesOf, namedPathsOf, possibleDirectories } from '../shell/named-paths.ts'
import { unwrapped } from '../shell/plain-wrappers.ts'
import { baseName } from '../shell/programs/program-name.ts'
import type { Finding } from './finding.ts'
import { runsBefore } from './shell-globs.ts'

const clones = /^(?:git clone|hg clone|jj git clone|gh repo clone|glab repo clone)(?: |$)/
const writers = /^g?(?:cp|mv|install|ln|link|rsync|tee|touch|truncate|dd|sed|sort|split|mkdir)$/

/**
 * SHELL-11, THREAT-1: asks where a line clones a repository and then writes below it: the clone may bring a link there, which
 * the box cannot know before the command starts.
 */
export function checkFetchedTrees(
  { commands, redirections }: ShellAnalysis,
  { workspace }: Pick<GateFacts, 'workspace'>,
): readonly Finding[] {
  const cloning = commands.filter(({ words }) => clones.test(unwrapped(words).join(' ')))
  if (cloning.length === 0) return []
  const all = possibleDirectories(commands, workspace)
  const written = [
    ...commands
      .filter(({ words }) => writers.test(baseName(words[0] ?? '')))
      .map((command) => ({
        place: command,
        paths: namedPathsOf([command], workspace, directoriesOf(command, workspace, all)).flatMap(
          ({ forms }) => forms.map(({ absolute }) => absolute),
        ),
      })),
    ...redirections
      .filter(({ use, path }) => use === 'write' && path !== undefined)
      .map((redirection) => ({
        place: redirection,
        paths: directoriesOf(redirection, workspace, all).map(
          (at) => toPathForms(redirection.path ?? '', workspace, at).absolute,
        ),
      })),
  ]
  const found = cloning.flatMap((clone) => {
    const trees = treesOf(unwrapped(clone.words), clone, all, workspace)
    return written
      .filter(({ place }) => runsBefore(clone, place))
      .flatMap(({ paths }) =>
        paths.filter((path) => trees.some((tree) => path !== tree && isWithin(path, tree))),
      )
  })
  return [...new Set(found)].slice(0, 8).map(toFinding)
}

/** The directories into which a clone goes: the last word if it is no address, else what the address is called. */
function treesOf(
  words: readonly string[],
  place: Positioned,
  all: readonly string[],
  workspace: string,
): readonly string[] {
  const last = words.at(-1) ?? ''
  const named = incomingFilesOf(words).names
  // `git clone a b`, and what a repository of this machine or of a host without a scheme is called.
  const own = last
    .replace(/\/+$/, '')
    .split(/[/:]/)
    .at(-1)
    ?.replace(/\.git$/, '')
  return directoriesOf(place, workspace, all).flatMap((at) =>
    [...named, last, own ?? ''].map((name) => toPathForms(name, workspace, at).absolute),
  )
}

function toFinding(path: string): Finding {
  const reason = `it clones a repository and writes ${path}, which may be a link that the clone brings`
  const effect = { kind: 'leaves_by_link', of: path } as const
  return { check: 'orders', action: 'ask', reason, isHazard: true, effect }
}
