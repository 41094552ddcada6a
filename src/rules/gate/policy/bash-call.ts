import { type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import type { ShellAnalysis, SubCommand } from '../shell/analysis.ts'
import { formsOf } from '../shell/command-forms.ts'
import { maxDirectories, namedPathsOf, possibleDirectories } from '../shell/named-paths.ts'
import { bounded, type CandidateValues, type PolicyCall } from './policy-call.ts'

const maxPaths = 4_000

/** Converts a shell command for the policy: its text, all commands in it, and all words that may name a file. */
export function toPolicyCommand(
  tool: string,
  text: string,
  analysis: ShellAnalysis,
  facts: Pick<GateFacts, 'workspace'>,
): PolicyCall {
  return {
    tool,
    texts: () => textsOf(text, analysis),
    paths: () => pathsOf(analysis, facts.workspace),
  }
}

function textsOf(text: string, analysis: ShellAnalysis): CandidateValues<string> {
  const { commands } = analysis
  const sure = commands.filter(({ standing }) => standing !== 'perhaps')
  return bounded({
    each: [text, ...sure.map(({ words }) => words.join(' '))],
    any: [text, ...commands.flatMap(textsOfCommand)],
    isKnown: isAccounted(analysis),
  })
}

/** SHELL-03: a command that the analysis is unsure of is never allowed. */
function isAccounted({ commands, listings, hazards, refusal }: ShellAnalysis): boolean {
  if (refusal !== undefined || hazards.length + listings.length > 0) return false
  return commands.length > 0 && commands.every(({ globs }) => globs === undefined)
}

/** A command's text, and the forms in which rules may name it. */
function textsOfCommand(command: SubCommand): readonly string[] {
  const { full, base, plain } = formsOf(command)
  return [command.source, full, base, plain]
}

function pathsOf(
  analysis: ShellAnalysis,
  workspace: string,
): CandidateValues<readonly PathForms[]> {
  const directories = possibleDirectories(analysis.commands, workspace)
  const words = namedPathsOf(analysis.commands, workspace, directories).map(({ forms }) => forms)
  const targets = analysis.redirections.flatMap(({ path }) =>
    path === undefined
      ? []
      : [directories.map((directory) => toPathForms(path, workspace, directory))],
  )
  const paths = [...words, ...targets]
  const hasUnknown = analysis.redirections.some(({ path }) => path === undefined)
  return {
    each: paths,
    any: paths.slice(0, maxPaths),
    isKnown: isAccounted(analysis) && !hasUnknown,
    isCut:
      paths.length > maxPaths ||
      directories.length >= maxDirectories ||
      analysis.refusal !== undefined,
  }
}
