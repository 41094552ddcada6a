import type { ShellAnalysis, SubCommand } from './analysis.ts'
import { baseName } from './programs/program-name.ts'
import { isInterpreter, wrappers } from './programs/programs.ts'

/** File extensions of scripts, as their interpreters expect them. */
export const scriptName =
  /\.(?:sh|bash|zsh|fish|nu|xsh|elv|ps1|py|rb|pl|php|lua|tcl|exp|awk|[cm]?[jt]sx?|r|jl|exs?|kts|groovy|scala|sc|swift|hs|ml|clj|scm|rkt|lisp|el|dart|nf|nim|cr|bats|robot|scpt|applescript|jsh|ipynb|jar)$/i

/** A word that stands for others: `*.sh`, `$f`, `{}`; code has blanks, quotes or parentheses. */
const pattern = /^[^\s'"();=]*[*?$`[{][^\s'"();=]*$/

const variable = /^\$\{?\w+\}?$/

const loading =
  /(?:^|[\s;&|("'`])((?:BASH_)?ENV|PYTHON(?:STARTUP|PATH|HOME)|LD_\w+|DYLD_\w+|NODE_(?:OPTIONS|PATH)|PERL5(?:OPT|LIB)|RUBY(?:OPT|LIB)|GIT_\w+|(?:\w+_)?PAGER|(?:\w+_)?EDITOR|VISUAL|MAKEFILES|(?:JDK_)?JAVA_\w*OPTIONS|CLASSPATH|PATH|PROMPT_COMMAND|RUSTC\w*|CC|CXX)=/

const maxShown = 4

/** APPR-24: whether a word stands for files that the text does not show. */
export function isPattern(word: string): boolean {
  return pattern.test(word)
}

/** The words of a command that run unknown files, one sentence for the card. */
export function unknownFilePrograms(
  text: string,
  started: readonly string[],
  commands: readonly SubCommand[],
  redirections: ShellAnalysis['redirections'],
): readonly string[] {
  const words = [
    ...started.filter(isPattern),
    ...commands.flatMap(({ words, runs = [] }) => [words, ...runs].flatMap(codeWords)),
  ]
  const shown = [...new Set(words)].slice(0, maxShown).map((word) => word.slice(0, 80))
  const isFedUntold = redirections.some(
    ({ use, path }) => use === 'read' && (path === undefined || isPattern(path)),
  )
  const set = loading.exec(text)?.[1]
  return [
    ...(shown.length === 0
      ? []
      : [`What ${shown.join(', ')} stands for is not known before it runs, and not bound`]),
    ...commands.flatMap(({ words }) => fedByNames(words)),
    ...(isFedUntold ? ['A file that it reads is not known before it runs, and not bound'] : []),
    ...(set === undefined ? [] : [`Files that are run because ${set} is set are not bound`]),
  ]
}

/** A variable used as the program, or as the code of a shell or interpreter. */
function codeWords([program = '', ...rest]: readonly string[]): readonly string[] {
  const name = baseName(program).toLowerCase()
  const runs = wrappers.get(name)?.takesCode === true || isInterpreter(name)
  const isOne = (word: string, at: number): boolean =>
    variable.test(word) && (name === 'eval' || isCode(rest[at - 1]))
  return [...(variable.test(program) ? [program] : []), ...(runs ? rest.filter(isOne) : [])]
}

/** `xargs sh`, `parallel python3`: files whose names come from the input. */
function fedByNames([program = '', ...rest]: readonly string[]): readonly string[] {
  const name = baseName(program)
  if (name !== 'xargs' && name !== 'parallel') return []
  const inner = rest.find((word) => isShell(baseName(word).toLowerCase()))
  if (inner === undefined) return []
  return [`Files that ${name} gives to ${inner} are not known before it runs, and not bound`]
}

function isShell(name: string): boolean {
  return /^(?:ba|z|da|k|fi|c|tc)?sh$/.test(name) || (isInterpreter(name) && !/awk$/.test(name))
}

/** The first operand, and following ones while each may be the value of the option before it: `ruby -I lib x`. */
export function operandScripts(rest: readonly string[]): readonly string[] {
  const scripts: string[] = []
  let isOpen = true
  for (const [at, word] of rest.entries()) {
    const before = rest[at - 1] ?? ''
    if (word.startsWith('-') || isCode(before)) continue
    if (isOpen || scriptName.test(word)) scripts.push(word)
    if (scriptName.test(word) || !before.startsWith('-')) isOpen = false
  }
  return scripts
}

/** An option whose value is code: `-c` or `-e`, alone or at the end of a cluster, or `--eval`. */
function isCode(option = ''): boolean {
  return option === '--eval' || (/^-[A-Za-z]*[ce]$/.test(option) && !/^-file$/i.test(option))
}
