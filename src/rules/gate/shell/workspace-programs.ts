import { isWithin, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { SubCommand } from './analysis.ts'
import { possibleDirectories } from './named-paths.ts'
import { baseName, isSystemProgram } from './program-name.ts'
import { isInterpreter } from './programs.ts'

/** More than these are not looked at; a job names no more paths either. */
const maxPrograms = 16
const maxCharacters = 1024

/**
 * APPR-24: the files of the workspace that a command starts, or gives to a shell or an interpreter to run: absolute in
 * the box, in the order of the text. What a program reads for itself, as `make` does, no text tells.
 */
export function workspacePrograms(
  commands: readonly SubCommand[],
  workspace: string,
): readonly string[] {
  const directories = possibleDirectories(commands, workspace)
  const paths = commands
    .filter(({ standing }) => standing !== 'perhaps')
    .flatMap(({ words }) => startedFiles(words))
    .filter((word) => word.length <= maxCharacters && !/\p{Cc}/u.test(word))
    .flatMap((word) => directories.map((at) => toPathForms(word, workspace, at).absolute))
    .filter((path) => path !== workspace && isWithin(path, workspace))
  return [...new Set(paths)].slice(0, maxPrograms)
}

function startedFiles(words: readonly string[]): readonly string[] {
  const [program = '', ...rest] = words
  const own = program.includes('/') && !isSystemProgram(program) ? [program] : []
  return [...own, ...scriptsOf(baseName(program).toLowerCase(), rest)]
}

const shells: ReadonlySet<string> = new Set(
  'sh bash zsh dash ksh ksh93 mksh ash fish csh tcsh rbash rksh pwsh yash source .'.split(' '),
)

const scriptName = /\.(?:sh|bash|zsh|py|rb|pl|php|lua|tcl|awk|[cm]?[jt]s|r|jl|exs?)$/i

/** The script of a shell or interpreter, and whatever else looks like one. */
function scriptsOf(program: string, rest: readonly string[]): readonly string[] {
  if (!shells.has(program) && !isInterpreter(program)) return []
  const files = rest.filter((word, at) => !word.startsWith('-') && !isCode(rest[at - 1]))
  return files.filter((word, at) => at === 0 || scriptName.test(word))
}

/** An option whose value is code, `-c` or `-e` alone or at the end of a cluster. */
function isCode(option = ''): boolean {
  return /^-[A-Za-z]*[ce]$/.test(option)
}
