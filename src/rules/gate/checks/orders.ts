import { isExecutableConfig } from '../../../shared/executable-config.ts'
import { isWithin, type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { incomingFilesOf } from '../orders/arriving-files.ts'
import { isReader } from '../orders/is-reader.ts'
import { unpacks } from '../orders/unpacks.ts'
import type { SubCommand } from '../shell/analysis.ts'
import { namedPathsOf } from '../shell/named-paths.ts'
import { lintsNamed } from '../shell/programs/linters.ts'
import type { PathValue } from '../values.ts'
import type { Finding } from './finding.ts'

type Places = Pick<GateFacts, 'workspace' | 'allowedPaths' | 'commandPaths'>

/** SHELL-11: asks before a tool writes a file that other programs take instructions from, even if a rule allows the tool. */
export function checkInstructionFiles(
  paths: readonly PathValue[],
  places: Places,
): readonly Finding[] {
  return paths
    .filter(({ forms, use }) => use === 'write' && mayHoldInstructions(forms, places))
    .map(({ forms }) => instructionFinding(forms.given))
}

/**
 * Whether a written path may be such a file. A directory moved or copied brings its files along (`x.git`), and git treats any
 * directory with a `HEAD` as a repository. Not used for words of commands, where both also name remotes and commits.
 */
export function mayHoldInstructions(forms: PathForms, places: Places): boolean {
  return isInstructionFile(forms, places) || /(?:[^./]\.git|\/head)$/i.test(forms.absolute)
}

/** SHELL-11: also asks for a command that names such a file, unless it is known to only read it. */
export function checkOrderWords(
  commands: readonly SubCommand[],
  directories: readonly string[],
  places: Places,
): readonly Finding[] {
  const writers = commands
    .filter(({ words }) => !isReader(words) && !lintsNamed(words))
    .map(withoutExcluded)
  const named = namedPathsOf(writers, places.workspace, directories)
    // In a list such as `.ts,.npmrc` each part is checked separately.
    .filter(({ text }) => !/^\.[^/]*,/.test(text))
    .filter(({ forms }) => forms.some((form) => isInstructionFile(form, places)))
    .map(({ text }) => instructionFinding(text))
  return [...named, ...writers.flatMap(({ words }) => checkArrivals(words, directories, places))]
}

/** SHELL-11: files from a remote source or an archive, whose names the command does not show. */
function checkArrivals(
  words: readonly string[],
  directories: readonly string[],
  places: Places,
): readonly Finding[] {
  const { names, isChosen, treeInto } = incomingFilesOf(words)
  const formsOf = (name: string) =>
    directories.map((directory) => toPathForms(name, places.workspace, directory))
  const found = names
    .filter((name) => formsOf(name).some((forms) => isInstructionFile(forms, places)))
    .map(instructionFinding)
  const fillsRoot =
    treeInto !== undefined && formsOf(treeInto).some(({ relative }) => relative === '.')
  if (!isChosen && !fillsRoot && !unpacks(words)) return found
  const reason = `${words[0]} names the files that it writes as what it reads says, and programs may take what they run from one`
  const effect = {
    kind: 'writes_unnamed',
    ...(words[0] !== undefined && { of: words[0] }),
  } as const
  return [...found, { check: 'orders', action: 'ask', reason, isHazard: true, effect }]
}

/** SHELL-11: asks for files that the box found a call to write: behind links, and in directories that it copies. */
export function checkFoundFiles(found: readonly string[], places: Places): readonly Finding[] {
  return found.map((path) => {
    const forms = toPathForms(path, places.workspace)
    const shown = forms.inWorkspace ? forms.relative : path
    if (mayHoldInstructions(forms, places)) return instructionFinding(shown)
    const reason = forms.inWorkspace
      ? `it may write into ${shown} many files, or some from which programs may take what they run`
      : `it may write ${path}, outside the workspace, to which a link leads`
    const effect = {
      kind: forms.inWorkspace ? 'writes_unnamed' : 'writes_outside',
      of: shown,
    } as const
    return { check: 'orders', action: 'ask', reason, isHazard: true, effect }
  })
}

/** Whether a path is such a file, relative to the workspace or to the directory it was reached from. */
function isInstructionFile(forms: PathForms, places: Places): boolean {
  if (forms.inWorkspace) return isExecutableConfig(forms.relative)
  const reachable = [...places.allowedPaths, ...places.commandPaths]
  const inside = reachable.filter((place) => isWithin(forms.absolute, place))
  const nearest = inside.sort((one, other) => other.length - one.length)[0] ?? ''
  return isExecutableConfig(forms.absolute.slice(nearest.length))
}

export function instructionFinding(given: string): Finding {
  const reason = `it may write ${given}, from which programs may take what they run`
  const effect = { kind: 'writes_instructions', of: given } as const
  return { check: 'orders', action: 'ask', reason, isHazard: true, effect }
}

/** Drops the program, and the values of options that exclude or search for names. */
function withoutExcluded(command: SubCommand): SubCommand {
  const [program = '', ...rest] = command.words
  const name = program.split('/').at(-1) ?? program
  const kept = rest.filter(
    (word, at) =>
      !isPassive(name, word) &&
      !(isPassive(name, rest[at - 1] ?? '') && !rest[at - 1]?.includes('=')) &&
      !(/^(?:sqlite3|duckdb)$/.test(name) && looksUp.test(word)) &&
      !(word === '.venv' && makesEnvironment.test(command.words.slice(0, -1).join(' '))),
  )
  return { ...command, words: [name, ...kept] }
}

/** Commands that fill a new directory themselves, with nothing from the workspace. */
const makesEnvironment = /^(?:python[\d.]* -m venv|uv venv|virtualenv)$/
const leavesOut = /^--(?:exclude|ignore|skip)(?:-[a-z-]+)?(?:=|$)/
const excluders: ReadonlySet<string> = new Set(
  (
    'tar bsdtar rsync git rg fd ag aws gsutil borg restic rclone prettier eslint stylelint biome black ruff flake8 pylint mypy ' +
    'isort pytest coverage jest vitest mocha nyc c8 cloc tokei scc trivy semgrep gitleaks bandit'
  ).split(' '),
)
/** Options whose values are looked up in the program's own data: `kubectl --sort-by=.metadata.name`, `go test -run '.*'`. */
const lookups: Readonly<Record<string, RegExp>> = {
  go: /^-(?:run|bench|skip)(?:=|$)/,
  gh: /^(?:--jq(?:=|$)|-q$)/,
  glab: /^--jq(?:=|$)/,
  kubectl: /^--sort-by(?:=|$)/,
  aws: /^--query(?:=|$)/,
  az: /^--query(?:=|$)/,
}
const looksUp = /^\.(?:tables|schema|fullschema|indexes|databases|headers|mode|dump)(?: [\w ]*)?$/

function isPassive(program: string, option: string): boolean {
  if (excluders.has(program) && leavesOut.test(option)) return true
  return Object.hasOwn(lookups, program) && lookups[program]?.test(option) === true
}
