import { isExecutableConfig } from '../../../shared/executable-config.ts'
import { isWithin, type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { GateFacts } from '../gate-facts.ts'
import { arrivingFiles } from '../orders/arriving-files.ts'
import { isReader } from '../orders/is-reader.ts'
import { unpacks } from '../orders/unpacks.ts'
import type { SubCommand } from '../shell/analysis.ts'
import { namedPathsOf } from '../shell/named-paths.ts'
import type { PathValue } from '../values.ts'
import type { Finding } from './finding.ts'

type Places = Pick<GateFacts, 'workspace' | 'allowedPaths' | 'commandPaths'>

/** SHELL-11: a tool that would write a file from which programs take orders asks, whatever rule allows the tool. */
export function checkOrders(paths: readonly PathValue[], places: Places): readonly Finding[] {
  return paths
    .filter(({ forms, use }) => use === 'write' && mayHoldOrders(forms, places))
    .map(({ forms }) => ordersFinding(forms.given))
}

/**
 * Whether a path that is written may be such a file. A folder moved or copied there brings its files along (`x.git`), and any
 * folder that holds a `HEAD` is a repository to git. Not for words of commands, where both name remotes and commits.
 */
export function mayHoldOrders(forms: PathForms, places: Places): boolean {
  return takesOrdersFrom(forms, places) || /(?:[^./]\.git|\/head)$/i.test(forms.absolute)
}

/** SHELL-11: so does a command that names one, unless it is known to read it only. */
export function checkOrderWords(
  commands: readonly SubCommand[],
  directories: readonly string[],
  places: Places,
): readonly Finding[] {
  const writers = commands.filter(({ words }) => !isReader(words)).map(withoutExcluded)
  const named = namedPathsOf(writers, places.workspace, directories)
    // Of a list such as `.ts,.npmrc` each part is there by itself.
    .filter(({ text }) => !/^\.[^/]*,/.test(text))
    .filter(({ forms }) => forms.some((form) => takesOrdersFrom(form, places)))
    .map(({ text }) => ordersFinding(text))
  return [...named, ...writers.flatMap(({ words }) => checkArrivals(words, directories, places))]
}

/** SHELL-11: files that arrive from elsewhere or out of an archive, under names that the command does not tell. */
function checkArrivals(
  words: readonly string[],
  directories: readonly string[],
  places: Places,
): readonly Finding[] {
  const { names, isChosen, treeInto } = arrivingFiles(words)
  const formsOf = (name: string) =>
    directories.map((directory) => toPathForms(name, places.workspace, directory))
  const found = names
    .filter((name) => formsOf(name).some((forms) => takesOrdersFrom(forms, places)))
    .map(ordersFinding)
  const fillsRoot =
    treeInto !== undefined && formsOf(treeInto).some(({ relative }) => relative === '.')
  if (!isChosen && !fillsRoot && !unpacks(words)) return found
  const reason = `${words[0]} names the files that it writes as what it reads says, and programs may take what they run from one`
  return [...found, { check: 'orders', action: 'ask', reason, isHazard: true }]
}

/** Whether a path is such a file, seen from the workspace or from the place that it may be reached by. */
function takesOrdersFrom(forms: PathForms, places: Places): boolean {
  if (forms.inWorkspace) return isExecutableConfig(forms.relative)
  const reachable = [...places.allowedPaths, ...places.commandPaths]
  const inside = reachable.filter((place) => isWithin(forms.absolute, place))
  const nearest = inside.sort((one, other) => other.length - one.length)[0] ?? ''
  return isExecutableConfig(forms.absolute.slice(nearest.length))
}

export function ordersFinding(given: string): Finding {
  const reason = `it may write ${given}, from which programs may take what they run`
  return { check: 'orders', action: 'ask', reason, isHazard: true }
}

/** Without the program itself, and what its options only leave out or look for. */
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

/** What fills a new folder by itself, with nothing of the workspace. */
const makesEnvironment = /^(?:python[\d.]* -m venv|uv venv|virtualenv)$/
const leavesOut = /^--(?:exclude|ignore|skip)(?:-[a-z-]+)?(?:=|$)/
const excluders: ReadonlySet<string> = new Set(
  (
    'tar bsdtar rsync git rg fd ag aws gsutil borg restic rclone prettier eslint stylelint biome black ruff flake8 pylint mypy ' +
    'isort pytest coverage jest vitest mocha nyc c8 cloc tokei scc trivy semgrep gitleaks bandit'
  ).split(' '),
)
/** Options whose values are looked up in what the program got: `kubectl --sort-by=.metadata.name`, `go test -run '.*'`. */
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
