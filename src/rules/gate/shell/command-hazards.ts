import type { SubCommand } from './analysis.ts'
import { parseFdExec, parseFindExec } from './find-exec.ts'
import { arityOf } from './grants/arity.ts'
import { watchedCommand, wrappedAt } from './plain-wrappers.ts'
import { onlyLooks } from './programs/awk-program.ts'
import { codeOption } from './programs/code-options.ts'
import { databaseHazard } from './programs/database-hazard.ts'
import { execForm } from './programs/exec-forms.ts'
import { gitHazard } from './programs/git-hazard.ts'
import { pluginCommand } from './programs/plugin-commands.ts'
import { baseName } from './programs/program-name.ts'
import {
  changesShell,
  isInterpreter,
  opensNothing,
  runsOnRequest,
  wrappers,
} from './programs/programs.ts'
import { moduleRun } from './programs/python-module.ts'
import { riskyOption } from './programs/risky-options.ts'
import { writesSecond } from './programs/second-file.ts'
import { onlyEdits } from './programs/sed-program.ts'
import { isHarmlessAssignment } from './variables/assignments.ts'
import { isOwnName } from './variables/own-name.ts'
import { parseXargs } from './xargs.ts'

const takesScript = /^(?:-[nErusz]*e|--expression)$/

const harmlessLong: ReadonlySet<string> = new Set([
  '--quiet',
  '--silent',
  '--regexp-extended',
  '--unbuffered',
  '--null-data',
])

/**
 * The reasons why a rule with wildcards cannot allow a command, and the form that a rule needs; empty for an ordinary command.
 */
export function hazardsOf(
  words: readonly string[],
): Pick<SubCommand, 'hazards' | 'form' | 'runs' | 'through'> {
  const through = analyseWrapper(words)
  if (through !== undefined) return through
  const program = baseName(words[0] ?? '')
  const hazard =
    wrapperHazard(program, words) ??
    shellHazard(program, words) ??
    interpreterHazard(program, words) ??
    gitOption(program, words) ??
    optionHazard(program, words)
  // `python -m http.server` needs a rule that names the module; one for `python *` is not enough.
  const run = moduleRun(words)
  const module = run?.form === undefined ? {} : { form: run.form }
  // `python -m pylint --init-hook=…`: a rule that names the module does not cover such an option.
  const inModule = run?.kind === 'plain' ? optionHazard(run.name, run.words) : undefined
  if (inModule !== undefined) return { hazards: [inModule] }
  if (run?.kind === 'program')
    return { hazards: [`python -m runs ${run.name}`], ...module, runs: [run.words] }
  if (hazard !== undefined) return { hazards: [hazard], ...module }
  const exec = execForm(words)
  if (exec === undefined) return { hazards: [], ...module }
  const { form, commands } = exec
  return { hazards: [`${form} runs other commands`], form, runs: commands }
}

/** Wrappers whose inner command is evaluated as if on its own, and programs that run a reader on file names. */
function analyseWrapper(words: readonly string[]): ReturnType<typeof hazardsOf> | undefined {
  const at = wrappedAt(words)
  const name = baseName(words[0] ?? '')
  const hazards = [`${name} runs other commands`]
  if (at !== undefined) return { hazards, runs: [words.slice(at)], through: 'wrapper' }
  if (name === 'watch') {
    const watched = watchedCommand(words)
    return watched && { hazards, runs: [watched], through: 'wrapper' }
  }
  if (!/^(?:xargs|find|fd|fdfind)$/.test(name)) return undefined
  const fed = parseXargs(words)
  const runs = fed === undefined ? (parseFindExec(words) ?? parseFdExec(words)) : [fed.command]
  return runs && { hazards, runs, through: 'names' }
}

/** Words that keep these programs from running anything else. */
export function runsNothing(words: readonly string[]): boolean {
  const [program = '', first = ''] = words
  if (words.length === 2 && /^--(?:version|help)$/.test(first)) return true
  if (words.length === 2 && first === '-V') return showsVersion.test(program)
  if (Object.hasOwn(showsState, program)) return showsState[program] === words.slice(1).join(' ')
  // Only the syntax of scripts.
  if (/^(?:ba|da|z|k)?sh$/.test(program) && first === '-n')
    return (
      words.length > 2 && words.slice(2).every((word) => /^\w[\w./-]*$|^\.\/[\w./-]+$/.test(word))
    )
  if (program === 'ansible') return asksHosts.test(words.join(' '))
  if (words.length === 1) return program === 'env' || program === 'nice' || program === 'ionice'
  return program === 'command' && /^-[vV]$/.test(first)
}

/** Modules of Ansible that only ask the hosts for an answer or for what they are. */
const asksHosts =
  /^ansible(?: (?:-i|-l|--limit|--inventory|-u|-f|--user|--forks)[ =][\w./,@-]+| -(?:o|v+|b)| --one-line)*(?: [\w.:&!*,-]+)?(?: (?:-i|-l|--limit|--inventory|-u|-f)[ =][\w./,@-]+| -(?:o|v+|b)| --one-line)* (?:-m|--module-name)[ =](?:ansible\.builtin\.)?(?:ping|setup)(?: -a (?:filter|gather_subset)=[\w*!,-]+)?(?: (?:-i|-l|--limit|-u|-f)[ =][\w./,@-]+| -(?:o|v+|b)| --one-line)*$|^ansible \S+ --list-hosts(?: -i [\w./-]+)?$/

/** Words with which a program only shows what it manages. */
const showsState: Readonly<Record<string, string>> = {
  tmux: 'ls',
  screen: '-ls',
  direnv: 'status',
  'aws-vault': 'list',
  at: '-l',
  arch: '',
  sudo: '-l',
}

/** Programs that print their version for `-V` and end. */
const showsVersion = /^(?:ssh|sudo|tmux|strace|ltrace|su|runuser|flock|gtime|setpriv|unshare)$/

function wrapperHazard(program: string, words: readonly string[]): string | undefined {
  if (!wrappers.has(program) || runsNothing(words)) return undefined
  return `${program} runs other commands`
}

function shellHazard(program: string, words: readonly string[]): string | undefined {
  if (changesShell.has(program) && !setsPlainly(program, words.slice(1)))
    return `${program} changes or evaluates things in the shell`
  // `%n` sets the variable named by an argument.
  if (program === 'printf' && words.some((word) => /%[^A-Za-z%(]*[hlLjzt]*n/.test(word)))
    return 'printf sets a variable by %n'
  const evaluates = program === 'test' || program === '[' || program === 'printf'
  const evaluated = evaluates && words.some((word) => /^-v/.test(word) || isSubscript(word))
  return evaluated ? `${program} evaluates its arguments` : undefined
}

/** Whether an expansion follows a bracket: array subscripts are evaluated. */
function isSubscript(word: string): boolean {
  const from = word.indexOf('[')
  return from !== -1 && /[$`]/.test(word.slice(from))
}

/** `set -euo pipefail`, which only makes the script stricter, and `export` of harmless variables. */
function setsPlainly(program: string, rest: readonly string[]): boolean {
  if (program === 'set') return /^-[eux]+$|^\+x$|^-[eux]*o pipefail$/.test(rest.join(' '))
  if (/^(?:alias|umask)$/.test(program)) return rest.length === 0
  if (program === 'hash') return rest.join(' ') === '-r'
  if (program === 'ulimit') return /^(?:-[HS])?-?[acdflmnstuv]?$/.test(rest.join(''))
  // The variable is already in the environment or not set at all.
  if (program === 'export' && rest.join(' ') === 'PATH') return true
  // The input goes to variables without a special meaning, like that of `for`.
  if (program === 'read')
    return rest[0] === '-r' && rest.length > 1 && rest.slice(1).every(isReadInto)
  if (program !== 'export' || rest.length === 0) return false
  return rest.every(isHarmlessAssignment)
}

function isReadInto(name: string): boolean {
  return name === '_' || isOwnName(name)
}

function interpreterHazard(program: string, words: readonly string[]): string | undefined {
  // The command line of AWS SAM, not the editor.
  if (program === 'sam' && /^(?:validate|list|logs)$/.test(words[1] ?? '')) return undefined
  if (runsOnRequest.has(program) && !asksForHelp(words)) return `${program} can run commands`
  if (!isInterpreter(program.toLowerCase())) return undefined
  if (/awk$/.test(program)) return awkHazard(words)
  const first = words[1]
  if (first === undefined || first === '-') return `${program} runs code from its input`
  if (asksForHelp(words)) return undefined
  const run = moduleRun(words)
  if (run !== undefined)
    return run.kind === 'code' ? `${program} -m runs code that its name does not tell` : undefined
  if (/^node(?:js)?$/.test(program) && /^(?:inspect|debug)$/.test(first))
    return `${program} ${first} runs what its input says`
  if (/\.py$|artisan$/.test(first) && /^(?:shell|shell_plus|dbshell|tinker)$/.test(words[2] ?? ''))
    return asksForHelp([program, ...words.slice(3)]) ? undefined : `${first} ${words[2]} runs code`
  if (!/^[-+]/.test(first) || hasPlainOptions(program, words)) return undefined
  return `${program} ${first} can run code given on the command line`
}

function asksForHelp(words: readonly string[]): boolean {
  return words.length === 2 && /^(?:-V|-v|--version|-h|--help)$/.test(words[1] ?? '')
}

/** Options that only affect how a script runs, before a script or, for `--test`, without one. */
function hasPlainOptions(program: string, words: readonly string[]): boolean {
  const at = words.findIndex((word, index) => index > 0 && !/^[-+]/.test(word))
  const options = words.slice(1, at === -1 ? undefined : at)
  if (/^(?:php|ruby)$/.test(program)) return options.join(' ') === (program === 'php' ? '-l' : '-c')
  if (program === 'perl') return at !== -1 && /^-[wct]+$/.test(options.join(' '))
  if (program === 'julia') return at !== -1 && /^--project(?:=[\w.@-]+)?$/.test(options.join(' '))
  if (/^node(?:js)?$/.test(program)) {
    const isPlain = options.every((option) => plainOfNode.test(option))
    return isPlain && (at !== -1 || options.includes('--test'))
  }
  return (
    /^python[\d.]*$/.test(program) &&
    at !== -1 &&
    options.every((option) => /^-[uBOIsE]+$/.test(option))
  )
}

const plainOfNode =
  /^--(?:test|check|watch|enable-source-maps|no-warnings|trace-warnings|trace-deprecation|experimental-strip-types|max-old-space-size=\d+|disable-warning=\w+|test-(?:only|reporter=(?:spec|tap|dot|junit|lcov)|concurrency=\d+|name-pattern=[\w -]+))$/

function gitOption(program: string, words: readonly string[]): string | undefined {
  return program === 'git' ? gitHazard(words) : undefined
}

function optionHazard(name: string, words: readonly string[]): string | undefined {
  // `pip3` and `pytest-3` count as the names without version.
  const program = name.replace(/^(pip|pytest|pylint|rake|rspec|bundle|gem)-?\d[\d.]*$/, '$1')
  if (program === 'sed') return sedHazard(words)
  const option = riskyOption(program, words)
  if (option !== undefined) return `${program} ${option} can run or write something`
  const code = codeOption(program, words)
  if (code !== undefined) return `${program} ${code} can load or run code`
  const plugin = pluginCommand(program, words)
  if (plugin !== undefined) return `${program} ${plugin} may be a program of its own`
  const rest = words.slice(1)
  if (/^(?:[gb]?make|remake|[pn]make)$/.test(program) && rest.some(setsVariable)) {
    return `${program} takes variables that change what it runs`
  }
  if (writesSecond(program, rest)) {
    return `${program} writes its second file`
  }
  if (program === 'tar' && rest.some((word) => /^[\w.@-]+:/.test(word))) {
    return 'tar takes a name with a colon for another host'
  }
  if (
    (program === 'less' || program === 'more') &&
    rest.some((word) => pagerRuns.test(word) && !/^\+(?:G|F|\d+)$/.test(word))
  ) {
    return `${program} can run commands or write files`
  }
  return databaseHazard(program, words) ?? unknownProgramHazard(program, rest)
}

/** Whether `make` treats a word as a variable assignment under any name; after `--` no word is an option. */
function setsVariable(word: string, at: number, words: readonly string[]): boolean {
  if (!word.includes('=') || plainOfMake.test(word)) return false
  return !word.startsWith('-') || words.slice(0, at).includes('--')
}

/** Compiler names, common flags, and plain values of variables that select options of a Makefile. */
const plainOfMake =
  /^(?:(?:V|VERBOSE|DEBUG|RELEASE)=\w{1,8}|CC=(?:gcc|clang|cc|tcc)(?:-\d+)?|CXX=(?:g\+\+|clang\+\+|c\+\+)(?:-\d+)?|(?:C|CXX|CPP)FLAGS\+?=(?:-(?:O[0-3sgz]?|g|W[a-z][a-z-]*|D\w+(?:=\w+)?|std=[\w+]+|pedantic|fPIC|fno-omit-frame-pointer|fsanitize=[\w,]+)(?: |$))+|(?:ENV|ENVIRONMENT|BUILD_TYPE|BUILD|CONFIG|MODE|VERSION|ARCH|GOOS|GOARCH|TAG|PORT|NODE_ENV|CI)=\w[\w.-]{0,40})$/

const runners =
  /^(?:(?:ba|z|da|k|c|tc|fi)?sh|sudo|doas|su|env|xargs|nohup|eval|busybox|(?:python|perl|ruby|node|php|lua)[\d.]*|rm|dd|shred|mkfs(?:\.\w+)?|chroot|nsenter|unshare)$/

/** Programs whose words are the names of processes: `pkill node` runs nothing. */
const namesProcesses = /^(?:pkill|killall|pgrep|pidof|pidwait|skill|snice)$/

/** An unknown program may be a wrapper: a shell, interpreter or destructive program among its words suggests it. */
function unknownProgramHazard(program: string, rest: readonly string[]): string | undefined {
  const isKnown = arityOf([program]) !== undefined || opensNothing.has(program)
  if (isKnown || wrappers.has(program) || namesProcesses.test(program)) return undefined
  const inner = rest.find((word) => runners.test(word))
  return inner && `${program} may run ${inner}`
}

/** Commands, log files, key bindings and tag files of `less`; `p` is followed by a pattern. */
const pagerRuns = /^\+|^-[A-Za-oq-z]*[oOkT]|^--(?:l[eo]|tag-)/i

/** The reason why sed code may do more than print and substitute; only plain forms are known to be harmless. */
function sedHazard(words: readonly string[]): string | undefined {
  const given: string[] = []
  const others: string[] = []
  let isScriptNext = false
  for (const word of words.slice(1)) {
    const attached = /^--expression=(.*)$/s.exec(word)?.[1]
    if (isScriptNext || attached !== undefined) given.push(attached ?? word)
    else if (!word.startsWith('-')) others.push(word)
    else if (!takesScript.test(word) && !/^-[nErusz]+$/.test(word) && !harmlessLong.has(word))
      return `sed ${word} can write files or run code`
    isScriptNext = !isScriptNext && takesScript.test(word)
  }
  // A command may continue from one script into the next.
  const script = given.length > 0 ? given.join('\n') : (others[0] ?? '')
  return onlyEdits(script) ? undefined : 'this sed script can write files or run commands'
}

/** The reason why awk code may do more than read its input. */
function awkHazard(words: readonly string[]): string | undefined {
  let program: string | undefined
  let valueNext = false
  for (const word of words.slice(1)) {
    if (valueNext) valueNext = false
    else if (word === '-F' || word === '-v') valueNext = true
    else if (/^-[Fv]./.test(word)) continue
    else if (word.startsWith('-') && program === undefined) return `awk ${word} can run code`
    else program ??= word
  }
  if (program === undefined) return undefined
  return onlyLooks(program) ? undefined : 'this awk program can open or write files or run commands'
}
