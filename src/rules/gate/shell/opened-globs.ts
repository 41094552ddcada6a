import type { Command, Word } from 'unbash'
import { incomingFilesOf } from '../orders/arriving-files.ts'
import { isReader } from '../orders/is-reader.ts'
import type { SubCommand } from './analysis.ts'
import { isMove } from './cd-target.ts'
import { hazardsOf } from './command-hazards.ts'
import { parseFindExec, pickedNames } from './find-exec.ts'
import { arityOf } from './grants/arity.ts'
import { readGlob } from './listings.ts'
import { takesLine } from './name-streams.ts'
import { type ObjectKind, takenObjects } from './object-streams.ts'
import { behindRunners, isPackageRunner, unwrapped } from './plain-wrappers.ts'
import { runsOperands } from './programs/code-files.ts'
import { isDatabase } from './programs/database-hazard.ts'
import {
  changesShell,
  destructive,
  isInterpreter,
  opensNothing,
  runsOnRequest,
  wrappers,
} from './programs/programs.ts'
import { knownOutput } from './variables/known-outputs.ts'
import { commandWords } from './words/command-words.ts'
import {
  changesFiles,
  fileGlobs,
  isGlob,
  maxGlobCharacters,
  openedShape,
  scriptAt,
} from './words/file-globs.ts'
import { wordValue } from './words/known-word.ts'
import { isListed, type WordUse, wordUses } from './words/text-words.ts'

/** The words of a command that stand for files by wildcards, and their results for the analysis. */
export interface OpenedGlobs {
  readonly useOf: (index: number) => WordUse
  readonly told: Pick<
    SubCommand,
    'globs' | 'boxed' | 'lines' | 'objects' | 'changes' | 'mayWrite' | 'into'
  >
}

/** All hidden names, of which only names and sizes are shown: `ls -d .*`. */
const hidden = /^(?:ls (?:-\w+ )*-\w*d\w*|du (?:-\w+ )*-\w*s\w*) \.(?:\[[!^]\.\])?\*$/
/** A form that no subcommand has. */
const isPath = /^[^*?[]*\/|\.[A-Za-z]\w{0,11}$/

const logFilter = /^\*:[VDIWEFS]$/

/** Programs for which a wildcard means more than input files, or whose words leave the machine. */
const others =
  /^g?(?:find|ln|link|rsync|scp|sftp|curl|wget|https?|xh|nc|ncat|socat|install|gcp|gmv|split|csplit|patch|rename|dig|host|nslookup|ping6?|traceroute|whois|hostname|kubectx|kubens|gunzip|bunzip2|unxz|unzstd|uncompress|unzip|unrar|7z[ar]?|cpio|pax|bsdtar|tee|xxd|uniq|test|\[|\[\[|git-.*)$/
/** Programs whose first word is a subcommand, or a command to run. */
const hasVerbs =
  /^(?:npx|pnpx|bunx|uvx|pipx|npm|pnpm|yarn|bun|deno|uv|poetry|pdm|rye|hatch|tox|nox|cargo|go|mvn|gradle|rake|just|task|make|docker|podman|kubectl|helm)$/
/** git subcommands that store or show files by name. */
const gitTakes = /^(?:add|stage|diff|log|grep|ls-files|status|blame)$/

const none: OpenedGlobs['told'] = {}

/** Words that only list names are left as they are; see {@link isListed}. */
export function openedGlobs(command: Command): OpenedGlobs {
  const useOf = wordUses(command)
  const words = command.suffix.filter((part) => part.type === 'Word')
  const read = [...command.redirects.flatMap((node) => readGlob(node) ?? []), ...pickedBy(command)]
  const outputs = words.map((word, at) => (useOf(at) === 'text' ? undefined : knownOutput(word)))
  if (read.length === 0 && !words.some((word, at) => isGlob(word) || outputs[at] !== undefined))
    return { useOf, told: none }
  const { inner, from, given, isPackage } = behind(command, words)
  const known: ReadonlyMap<number, string> = from === 0 ? fileGlobs(command) : new Map()
  const boxed = new Map<number, string>()
  const lines = new Map<number, string>()
  const objects = new Map<number, string>()
  for (const [at, word] of words.entries()) {
    const output = outputs[at]
    if (!isGlob(word) && output === undefined) continue
    if (known.has(at) || isKnownUse(word, useOf(at)) || at < from) continue
    if (output !== undefined && output.kind !== 'files') {
      if (takesObjects(output.kind, given, at - from + 1)) objects.set(at, wordValue(word))
    } else if (output?.isLine === true) {
      if (takesLine(given, at - from + 1)) lines.set(at, output.text)
    } else if (!isPackage || !(isReader(given) || isCopy(given))) {
      const own = words.slice(from).map((one) => (one === word ? asGlob(one, output?.text) : one))
      if (mayBox(inner, own, at - from, given)) boxed.set(at, output?.text ?? word.text)
    }
  }
  const globs = [...known.values(), ...boxed.values(), ...read]
  const isOpened = (index: number) => [known, boxed, lines, objects].some((map) => map.has(index))
  return {
    useOf: (index) => (isOpened(index) ? 'opened' : useOf(index)),
    told: {
      ...(globs.length === 0 ? {} : { globs, ...placed(given, isPackage, words) }),
      ...(boxed.size + read.length === 0 ? {} : { boxed: [...boxed.values(), ...read] }),
      ...(lines.size === 0 ? {} : { lines: [...lines.values()] }),
      ...(objects.size + lines.size === 0
        ? {}
        : { objects: [...objects, ...lines].map(([at]) => wordValue(words[at] as Word)) }),
    },
  }
}

/** The names that `find -exec` picks for a program that reads them. */
function pickedBy(command: Command): readonly string[] {
  if (command.name?.text !== 'find') return []
  const words = commandWords(command)
  return parseFindExec(words) === undefined ? [] : (pickedNames(words) ?? [])
}

function placed(given: readonly string[], isPackage: boolean, words: readonly Word[]) {
  return {
    ...(changesFiles(given) ? { changes: true as const } : {}),
    ...(isReader(given) && !isPackage ? {} : { mayWrite: true as const }),
    ...(isCopy(given) ? { into: words.at(-1)?.value ?? '' } : {}),
  }
}

/** A wildcard that stands for the names of a substitution, of which it is known where they begin or how they end. */
function asGlob(word: Word, output = ''): Word {
  if (isGlob(word)) return word
  const here = fromHere.test(output) ? './' : ''
  const directory = belowNamed.test(output) ? 'x/' : here
  const text = `${directory}x*${ofKind.test(output) ? '.txt' : ''}`
  return { ...word, text, value: text }
}

const fromHere = /^\$\(find \.(?:[/ )]|$)/
const operand = String.raw`["']?\w[\w.-]*(?:/[\w./-]*)?["']?`
const ofGit = String.raw`git (?:ls-files(?: -\w+| --[\w-]*)*|diff(?: [\w./~^-]+)* --)`
/** Names below directories that are named themselves. */
const belowNamed = new RegExp(String.raw`^\$\((?:find \w|${ofGit}(?: ${operand})+\))`)
/** Names that end as the text tells. */
const ofKind = new RegExp(
  String.raw`^\$\((?:${ofGit}(?: ["'](?:[\w.-]+/)*\*(?:\.[A-Za-z]\w*)+["'])+|[^|]* \| grep ["']\\\.[A-Za-z]\w*\$["'])\)`,
)

/** Whether a program takes the objects of a substitution, of which there may be none or several, as objects only. */
function takesObjects(kind: ObjectKind, given: readonly string[], at: number): boolean {
  const words = given.with(at, '{}')
  if (at < 2 || hazardsOf(words).hazards.length > 0) return isExecuted(kind, words, at)
  return takenObjects(words) === kind
}

/** The pods of `kubectl exec $(…) -- ls`. */
function isExecuted(kind: ObjectKind, words: readonly string[], at: number): boolean {
  const before = words
    .slice(1, words.indexOf('--'))
    .filter((word) => word !== '{}')
    .join(' ')
  return (
    kind === 'ids' &&
    words[0] === 'kubectl' &&
    at < words.indexOf('--') &&
    /^(?:-n [\w-]+ )?exec(?: (?:-i|-t|-it|-n [\w-]+|-c [\w-]+))*$/.test(before)
  )
}

interface Behind {
  readonly inner: Command
  /** How many of the words stand in front of its own. */
  readonly from: number
  readonly given: readonly string[]
  /** Whether it is a program of a package. */
  readonly isPackage: boolean
}

/** The command that takes the wildcards, behind `timeout 5` and the like. */
function behind(command: Command, words: readonly Word[]): Behind {
  const all = commandWords(command)
  const given = behindRunners(all)
  const from = all.length - given.length
  const name = words[from - 1]
  // Each word is one, as it stands.
  const isPlain = all.length === words.length + 1 && name?.text === given[0]
  if (name === undefined || !isPlain)
    return { inner: command, from: 0, given: all, isPackage: false }
  const inner = { ...command, name, suffix: words.slice(from) }
  return { inner, from, given, isPackage: isPackageRunner(unwrapped(all)) }
}

function isKnownUse(word: Word, use: WordUse): boolean {
  return use !== 'literal' && isListed(word.text, use)
}

function isCopy([program = '']: readonly string[]): boolean {
  return program === 'cp' || program === 'mv'
}

/** Whether a wildcard stands in the place of files, so that names that are allowed and are no options have no other effect. */
function mayBox(
  { name }: Command,
  words: readonly Word[],
  at: number,
  given: readonly string[],
): boolean {
  const program = name?.text ?? ''
  const text = words[at]?.text ?? ''
  if (!/^\w[\w.+-]*$/.test(program) || text.length > maxGlobCharacters) return false
  if (hidden.test(given.join(' '))) return true
  // The least severity of what is logged. The box refuses a file whose name has such an end, as it would be another host's.
  if (program === 'adb' && logFilter.test(text)) return given.includes('logcat')
  if (!openedShape.test(text)) return false
  if (program === 'cd') return words.length === 1 && text.endsWith('/')
  if (program === 'find') return at === 0 && isReader(given) && /^(?:\.|\w[\w.-]*)\//.test(text)
  if (!takesFiles(program, given, text)) return false
  if (hazardsOf(given).hazards.length > 0 || isCopy(given))
    return isCopy(given) && isCopied(words, given)
  if (!isReader(given) && given.some(isElsewhere)) return false
  const { names, isChosen, treeInto } = incomingFilesOf(given)
  if (names.length > 0 || isChosen || treeInto !== undefined) return false
  return expandsToFiles(
    program,
    words.map(({ value }) => value),
    at,
    text,
  )
}

/** Whether an option, also of `tar cfC a.tar dir x`, has a program look for its files in another directory than bash does. */
function isElsewhere(word: string, at: number): boolean {
  if (at === 1 && /^[A-Za-z]*C[A-Za-z]*$/.test(word)) return true
  return /^-[A-Za-z]*C|^--(?:dir|cwd|chdir|cd(?:=|$)|prefix|root)/.test(word)
}

/** Programs and verbs for which a name without a directory before it is a package of a registry. */
const installs =
  /^(?:(?:npm|pnpm|yarn|bun|pip3?|uv|poetry|pdm|cargo|gem|go|brew|apt|apt-get|dnf|yum|apk|snap|helm|composer|conda|deno)(?: pip)? (?:-[\w-]+ )?(?:i|in|install|add|ci|get|require|upgrade|update|dlx|x)\b)/

/** npm takes `a/b` for a repository of another host. */
function isOwnPackage(program: string, text: string): boolean {
  return text.startsWith('./') || (/^(?:pip3?|uv)$/.test(program) && text.includes('/'))
}

function takesFiles(program: string, given: readonly string[], text: string): boolean {
  if (/^(?:gzip|bzip2|xz|zstd)$/.test(program)) return given.some((word) => isShown.test(word))
  if (wrappers.has(program) || others.test(program) || isMove(given)) return false
  if (isDatabase(program) || runsScripts(given)) return false
  if (changesShell.has(program) || runsOnRequest.has(program)) return false
  if (destructive.has(program) || opensNothing.has(program)) return false
  if (installs.test(given.slice(0, 3).join(' ')) && !isOwnPackage(program, text)) return false
  if (program === 'git') return gitTakes.test(given[1] ?? '')
  if (/^[gmn]?awk$/.test(program) || !isInterpreter(program.toLowerCase())) return true
  if (/^python[\d.]*$/.test(program)) return given.slice(1, 3).join(' ') === '-m py_compile'
  return /^node$/.test(program) && given.includes('--test')
}

/** Compilers that run the files which they are given. */
const runsNamed =
  /^(?:java(?: |$)|dart \S+\.dart(?: |$)|(?:go|mix|zig|dart|crystal|nim|swift|v|scala)(?: \S+)*? run(?: |$))/

/** `vite-node *.ts`, `yarn tsx *.ts`: names are code to run, which nothing binds. */
function runsScripts(given: readonly string[]): boolean {
  const mostNames = hasVerbs.test(given[0] ?? '') ? 4 : 1
  return given
    .slice(0, mostNames)
    .some(
      (word, at) =>
        runsOperands(word, given.slice(at + 1)) ||
        runsNamed.test(given.slice(at, at + 8).join(' ')) ||
        (at > 0 && isInterpreter(word.toLowerCase())),
    )
}

/** For compression programs, which work in place: an option that only shows or tests the content. */
const isShown = /^-[a-z]*[clt]|^--(?:stdout|list|test)$/

/** Programs with subcommands, of which none takes further words for anything but files. */
const takesNames = /^(?:prettier|biome|vitest|jest|pre-commit)$/

/** Whether the words before a wildcard leave no meaning for it other than a file. */
function expandsToFiles(
  program: string,
  words: readonly string[],
  at: number,
  text: string,
): boolean {
  const before = words.slice(0, at).filter((word) => !word.startsWith('-'))
  if (/^(?:sed|[gmn]?awk|jq)$/.test(program)) {
    const script = scriptAt(program, words)
    return script !== undefined && script !== -1 && at > script
  }
  if (/^(?:yq|tar|zip|ar|jar|[ef]?grep|zgrep|rg|ag|ack)$/.test(program)) return before.length > 0
  if (program === 'git' || isReader([program, ...words])) return true
  if (hasVerbs.test(program) && before.length === 0) return false
  if (takesNames.test(program) && at > 0) return true
  return isPath.test(text) || arityOf([program]) === 1
}

/** The target is a directory named in the text, and the files keep their names. */
function isCopied(words: readonly Word[], given: readonly string[]): boolean {
  const target = words.at(-1)
  if (target === undefined || !/^(?:\.|\w[\w./-]*\/)$/.test(target.text)) return false
  if (given.some((word) => /^-[A-Za-z]*[tTS]|^--[tnsp]/.test(word))) return false
  return words.slice(0, -1).some((word) => !word.value.startsWith('-'))
}
