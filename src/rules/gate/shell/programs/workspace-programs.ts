import { isWithin, toPathForms } from '../../../../shared/paths/path-forms.ts'
import type { ShellAnalysis, SubCommand } from '../analysis.ts'
import { knownPrograms } from '../grants/arity.ts'
import { possibleDirectories } from '../named-paths.ts'
import { isPattern, operandScripts, scriptName, unknownFilePrograms } from '../untold-programs.ts'
import { codeFilesOf } from './code-files.ts'
import { baseName, isSystemProgram } from './program-name.ts'
import {
  changesShell,
  destructive,
  isInterpreter,
  opensNothing,
  runsOnRequest,
  wrappers,
} from './programs.ts'
import { runsItsInput } from './runs-its-input.ts'
import { writtenBeforeRun } from './written-first.ts'

/** A job can name no more paths. */
const maxPrograms = 64
const maxCharacters = 1024
/** If a text names more, the rest is ignored. */
const maxPaths = 2 * maxPrograms

/** APPR-24: the workspace files that a command executes. */
export interface WorkspacePrograms {
  /** Files to bind by digest: absolute in the box, in the order of the text. */
  readonly programs: readonly string[]
  /** Executed but not bound, one sentence each for the card. */
  readonly unbound: readonly string[]
  /** Programs that run further files of the workspace; `unbound` has a sentence about each. */
  readonly runners: readonly string[]
}

/**
 * APPR-24: the workspace files that a command starts, passes to a shell or interpreter (by name, pipe or redirection), or uses as
 * instructions (`make`, `psql -f`). Anything that cannot be bound is reported.
 */
export function workspacePrograms(
  text: string,
  { commands, redirections }: ShellAnalysis,
  workspace: string,
): WorkspacePrograms {
  const pathsOf = createPathFinder(possibleDirectories(commands, workspace), workspace)
  const known = commands.filter(({ standing }) => standing !== 'perhaps')
  const fed = feeds.test(text)
    ? known.filter(({ words }) => runsItsInput(words) || runsWhatIsPrinted(words, text))
    : []
  const others = known.filter((command) => !fed.includes(command))
  // `sqlite3 a.db '…' | sh`: a command that reads input may also feed another one.
  const givers = fed.length > 1 && pipes.test(text) ? known : others
  const inputs = fed.length === 0 ? [] : inputsOf(givers, redirections)
  const named = known.map(filesStartedBy)
  const started = named.map((files) => files.filter((word) => !isPattern(word)))
  const words = new Set([...started.flat(), ...inputs])
  const all = pathsOf(words)
  const own = known.map((command, at) => ({ words: command.words, started: started[at] ?? [] }))
  const runners = runnersIn(known)
  return {
    programs: all.slice(0, maxPrograms),
    unbound: [
      ...tooMany(all),
      ...unboundInput(fed, inputs, givers),
      ...unknownFilePrograms(text, named.flat(), known, fed.length === 0 ? [] : redirections),
      ...runners.map(furtherFiles),
      ...writtenBeforeRun(own, redirections, all, pathsOf),
    ],
    runners,
  }
}

/** Ways to pass one command's output to another. */
const pipes = /[|`]|\$\(|[<>]\(/

function filesStartedBy({ words, runs = [] }: SubCommand): readonly string[] {
  return [
    ...[words, ...runs].flatMap(startedFiles),
    // `uv run x.py` starts a file named without a directory.
    ...runs.flatMap((inner) => inner.slice(0, 1).filter((word) => scriptName.test(word))),
  ]
}

/** Ways to feed a command from another one or from a file. */
const feeds = /[|<`]|>\(|\$\(/

/** Creates a function that returns the absolute workspace paths that words may name, up to the limit. */
function createPathFinder(
  directories: readonly string[],
  workspace: string,
): (words: ReadonlySet<string>) => readonly string[] {
  const found = new Map<string, readonly string[]>()
  const pathsOfWord = (word: string): readonly string[] => {
    if (word.length > maxCharacters || /\p{Cc}/u.test(word)) return []
    const paths = directories.map((directory) => toPathForms(word, workspace, directory).absolute)
    return paths.filter((path) => path !== workspace && isWithin(path, workspace))
  }
  return (words) => {
    const paths = new Set<string>()
    for (const word of words) {
      const ofWord = found.get(word) ?? pathsOfWord(word)
      found.set(word, ofWord)
      for (const path of ofWord) paths.add(path)
      if (paths.size > maxPaths) break
    }
    return [...paths].slice(0, maxPaths + 1)
  }
}

function tooMany(paths: readonly string[]): readonly string[] {
  const rest = paths.slice(maxPrograms)
  if (rest.length === 0) return []
  const count = paths.length > maxPaths ? 'many more' : `${rest.length} more`
  const shown = `${rest.slice(0, 8).join(', ')}${rest.length > 8 ? ', …' : ''}`
  return [
    `It may run ${count} files of the workspace than can be bound, which may change until it runs: ${shown}`,
  ]
}

/** Pipe content that does not come from files is unknown before the run. */
function unboundInput(
  fed: readonly SubCommand[],
  inputs: readonly string[],
  givers: readonly SubCommand[],
): readonly string[] {
  if (fed.length === 0 || givers.length === 0) return []
  const programs = fed.map(({ words }) => baseName(words[0] ?? ''))
  const known = new Set(programs.filter((name) => /^[\w.+-]+$/.test(name)))
  const names = known.size === 0 ? 'the shell' : [...known].join(', ')
  const but = inputs.length === 0 ? '' : ' beyond the files that are named here'
  return [`What ${names} is given to run by other commands is not bound${but}`]
}

function runnersIn(commands: readonly SubCommand[]): readonly string[] {
  const names = commands
    .map(({ words: [program = '', ...rest] }) => ({ name: baseName(program).toLowerCase(), rest }))
    .filter(({ name, rest }) => codeFilesOf(name, rest).runsMore)
    .map(({ name }) => name)
  return [...new Set(names)]
}

/** The sentence about a program that runs further files of the workspace. */
function furtherFiles(name: string): string {
  return `Further files of the workspace that ${name} runs are not bound and may change until then`
}

/** `eval "$(cat x)"`, `bash -c "$(cat x)"`, `bash <(cat x)`, `$(cat x)`. */
function runsWhatIsPrinted([program = '', ...rest]: readonly string[], text: string): boolean {
  if (/[$`]/.test(program)) return true
  if (!/`|\$\(|[<>]\(/.test(text)) return false
  const name = baseName(program).toLowerCase()
  return name === 'eval' || ((shells.has(name) || isInterpreter(name)) && rest.length > 0)
}

const maxInputs = 256

/** Files that other commands of the text read and may pass on. */
function inputsOf(
  commands: readonly SubCommand[],
  redirections: ShellAnalysis['redirections'],
): readonly string[] {
  const read = redirections.flatMap(({ use, path }) => (use === 'read' ? (path ?? []) : []))
  const words = commands.flatMap(({ words: [program = '', ...rest] }) =>
    shells.has(baseName(program)) ? [] : rest.filter(mayBeFile),
  )
  return [...read, ...words].slice(0, maxInputs)
}

function mayBeFile(word: string): boolean {
  return (
    /^[^-\s$`|;&<>(){}*?][^\s$`|;&<>(){}*?]*$/.test(word) && !/^[a-z][a-z+.-]*:\/\//i.test(word)
  )
}

function startedFiles(words: readonly string[]): readonly string[] {
  const [program = '', ...rest] = words
  const own = program.includes('/') && !isSystemProgram(program) ? [program] : []
  const name = baseName(program).toLowerCase()
  return [
    ...own,
    ...scriptsOf(name, rest),
    ...codeFilesOf(name, rest).files,
    ...unknownProgramFiles(name, rest),
  ]
}

/** Files that a wrapper or an unknown program may run: scripts, and files named like programs. */
function unknownProgramFiles(name: string, rest: readonly string[]): readonly string[] {
  const isKnown =
    knownPrograms.has(name) ||
    [opensNothing, destructive, runsOnRequest, changesShell].some((names) => names.has(name))
  if (isKnown && !wrappers.has(name)) return []
  return rest.filter((word) => /^\.\/./.test(word) || (!isKnown && isScript(word)))
}

function isScript(word: string): boolean {
  return !word.startsWith('-') && scriptName.test(word) && !word.includes('://')
}

const shells: ReadonlySet<string> = new Set(
  'sh bash zsh dash ksh ksh93 mksh ash fish csh tcsh rbash rksh pwsh yash source .'.split(' '),
)

/** The script of a shell or interpreter, and other words that look like one. */
function scriptsOf(program: string, rest: readonly string[]): readonly string[] {
  // An awk operand is code, which the card shows.
  if (/awk$/.test(program) || !(shells.has(program) || isInterpreter(program))) return []
  const attached = rest.flatMap((word) => /^--?[\w-]+=(.+)$/s.exec(word)?.[1] ?? [])
  return [
    ...operandScripts(rest).flatMap((word) => spellings(program, word)),
    ...attached.filter((word) => scriptName.test(word)),
    ...moduleFiles(program, rest),
  ]
}

/** `node app` runs `app.js` or the index file in `app`. */
function spellings(program: string, word: string): readonly string[] {
  if (!/^(?:node|nodejs|bun)$/.test(program) || scriptName.test(word)) return [word]
  return [
    word,
    `${word}.js`,
    `${word}.cjs`,
    `${word}.mjs`,
    `${word}/index.js`,
    `${word}/package.json`,
  ]
}

/** `python -m a.b` prefers a workspace module to a system one. */
function moduleFiles(program: string, rest: readonly string[]): readonly string[] {
  if (!/^(?:python|pypy)[\d.]*$/.test(program)) return []
  const at = rest.findIndex((word) => /^-[A-Za-z]*m/.test(word))
  const named =
    at === -1 ? undefined : (/^-[A-Za-z]*?m(.+)$/.exec(rest[at] ?? '')?.[1] ?? rest[at + 1])
  if (named === undefined || !/^[\w.]+$/.test(named)) return []
  const path = named.replaceAll('.', '/')
  return [`${path}.py`, `${path}/__main__.py`, `${path}/__init__.py`]
}
