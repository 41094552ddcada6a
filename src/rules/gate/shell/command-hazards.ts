import { gitHazard } from './git-hazard.ts'
import { baseName } from './program-name.ts'
import { changesShell, isInterpreter, wrappers } from './programs.ts'
import { riskyOption } from './risky-options.ts'
import { awkHazard, sedHazard } from './script-hazard.ts'

/** Why a rule with wildcards cannot allow a command; empty for an ordinary one. */
export function commandHazards(words: readonly string[]): readonly string[] {
  const program = baseName(words[0] ?? '')
  const hazard =
    wrapperHazard(program, words) ??
    shellHazard(program, words) ??
    interpreterHazard(program, words) ??
    gitOption(program, words) ??
    optionHazard(program, words)
  return hazard === undefined ? [] : [hazard]
}

/** `python -m pytest` is allowed by a rule that names the module, never by one for `python *`. */
export function requiredForm(words: readonly string[]): string | undefined {
  return isModuleRun(words) ? words.slice(0, 3).join(' ') : undefined
}

/** Words after which these programs run nothing but themselves. */
export function runsNothing(words: readonly string[]): boolean {
  const [program = '', first = ''] = words
  if (words.length === 1) return program === 'env' || program === 'nice' || program === 'ionice'
  return program === 'command' && /^-[vV]$/.test(first)
}

function wrapperHazard(program: string, words: readonly string[]): string | undefined {
  if (!wrappers.has(program) || runsNothing(words)) return undefined
  return `${program} runs other commands`
}

function shellHazard(program: string, words: readonly string[]): string | undefined {
  if (changesShell.has(program)) return `${program} changes or evaluates things in the shell`
  const evaluates = program === 'test' || program === '[' || program === 'printf'
  const evaluated = evaluates && words.some((word) => word === '-v' || /\[.*[$`]/.test(word))
  return evaluated ? `${program} evaluates its arguments` : undefined
}

function interpreterHazard(program: string, words: readonly string[]): string | undefined {
  if (!isInterpreter(program.toLowerCase())) return undefined
  if (/awk$/.test(program)) return awkHazard(words)
  const first = words[1]
  if (first === undefined || first === '-') return `${program} runs code from its input`
  if (words.length === 2 && /^(?:-V|-v|--version|-h|--help)$/.test(first)) return undefined
  if (
    /^(?:vi|vim|view|nvim|gvim|rvim|vimdiff|ex|ed|emacs|emacsclient|nano|pico|m4)$/.test(program)
  ) {
    return `${program} can run commands`
  }
  if (!/^[-+]/.test(first) || isModuleRun(words)) return undefined
  return `${program} ${first} can run code given on the command line`
}

function isModuleRun(words: readonly string[]): boolean {
  return (
    /^(?:python|pypy)[\d.]*$/.test(baseName(words[0] ?? '')) &&
    words[1] === '-m' &&
    /^[A-Za-z]\w*$/.test(words[2] ?? '')
  )
}

function gitOption(program: string, words: readonly string[]): string | undefined {
  return program === 'git' ? gitHazard(words) : undefined
}

function optionHazard(program: string, words: readonly string[]): string | undefined {
  if (program === 'sed') return sedHazard(words)
  const option = riskyOption(program, words)
  if (option !== undefined) return `${program} ${option} can run or write something`
  const rest = words.slice(1)
  if (program === 'make' && rest.some((word) => /^[\w.]+[:?+!]*=/.test(word))) {
    return 'make takes variables that change what it runs'
  }
  if (/^(?:uniq|xxd)$/.test(program) && rest.filter((word) => !word.startsWith('-')).length > 1) {
    return `${program} writes its second file`
  }
  if (program === 'tar' && rest.some((word) => /^[\w.@-]+:/.test(word))) {
    return 'tar takes a name with a colon for another host'
  }
  if ((program === 'less' || program === 'more') && rest.some((word) => pagerRuns.test(word))) {
    return `${program} can run commands or write files`
  }
  return databaseHazard(program, words)
}

/** Commands, log files, key bindings and tag files of `less`; what follows `p` is a pattern. */
const pagerRuns = /^\+|^-[A-Za-oq-z]*[oOkT]|^--(?:l[eo]|tag-)/i

function databaseHazard(program: string, words: readonly string[]): string | undefined {
  if (!/^(?:psql|mysql|mariadb|sqlite3|duckdb|mongosh?)$/.test(program)) return undefined
  const runs = words.some((word) =>
    /\\!|\.(?:shell|system)\b|\bprogram\b|\bsystem\b|\|/i.test(word),
  )
  return runs ? `${program} is given something that runs commands` : undefined
}
