import type { ShellAnalysis, SubCommand } from './analysis.ts'
import { baseName } from './programs/program-name.ts'
import { isInterpreter, wrappers } from './programs/programs.ts'
import { isCode } from './script-operands.ts'

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
