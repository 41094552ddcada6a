import { type PathForms, toPathForms } from '../../../shared/paths/path-forms.ts'
import type { Positioned, SubCommand } from './analysis.ts'
import { inMount, mountsOf } from './container-mounts.ts'
import { deviceCommand, namesElsewhere } from './names-elsewhere.ts'
import { unwrapped } from './plain-wrappers.ts'
import { runsImage } from './programs/exec-forms.ts'
import { objectNames } from './programs/object-names.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { opensNothing, patternFirst } from './programs/programs.ts'
import { isValueWord } from './words/value-words.ts'

/** A part of a command's words that may name a file. */
export interface NamedPath {
  readonly text: string
  /** One for each possible current directory. */
  readonly forms: readonly PathForms[]
  /** It can only be a path, so being outside the workspace is reported. */
  readonly isPath: boolean
}

/** With more possible directories a command cannot be followed. */
export const maxDirectories = 8

/** Operating systems open no longer path. */
const maxPathCharacters = 4_096

const freeFiles: ReadonlySet<string> = new Set([
  '/dev/null',
  '/dev/stdin',
  '/dev/stdout',
  '/dev/stderr',
  ...['loadavg', 'cpuinfo', 'meminfo', 'version', 'uptime'].map((name) => `/proc/${name}`),
])

/** SHELL-07: the paths that words of commands may name, considering every `cd` among them. */
export function namedPathsOf(
  commands: readonly SubCommand[],
  workspace: string,
  directories: readonly string[],
): readonly NamedPath[] {
  return [...partsOfCommands(commands)].map(([text, isHere]) => {
    const path = text.slice(0, maxPathCharacters)
    return {
      text: path,
      isPath: isHere && looksLikePath(path),
      forms: directories.map((directory) => toPathForms(path, workspace, directory)),
    }
  })
}

/** The distinct parts of words that may be paths. */
export function namedParts(commands: readonly Pick<SubCommand, 'words'>[]): ReadonlySet<string> {
  return new Set(partsOfCommands(commands).keys())
}

/** Each part, and whether it may name something on this system. */
function partsOfCommands(
  commands: readonly Pick<SubCommand, 'words'>[],
): ReadonlyMap<string, boolean> {
  const found = new Map<string, boolean>()
  const seen = new Set<string>()
  for (const { words } of commands) {
    const inner = unwrapped(words)
    const elsewhere = namesElsewhere(inner)
    const here =
      elsewhere.size === 0 ? undefined : new Set(inner.filter((_, at) => !elsewhere.has(at)))
    const own = inner === words ? [] : words.slice(1, words.length - inner.length)
    for (const word of [...own, ...mayNameFiles(inner)]) {
      const isHere = here === undefined || here.has(word) || own.includes(word)
      const key = `${isHere} ${word}`
      if (seen.has(key)) continue
      seen.add(key)
      for (const part of partsOf(word)) found.set(part, isHere || found.get(part) === true)
    }
  }
  return found
}

/** The workspace and all possible targets of `cd`; the text does not show which one applies. */
export function possibleDirectories(
  commands: readonly SubCommand[],
  workspace: string,
): readonly string[] {
  const directories = new Set([workspace])
  for (const { words } of commands) {
    if (directories.size >= maxDirectories) break
    if (!/^(?:cd|pushd)$/.test(words[0] ?? '')) continue
    const target = words.slice(1).find((word) => !word.startsWith('-'))
    if (target === undefined) continue
    for (const directory of [...directories]) {
      directories.add(toPathForms(target, workspace, directory).absolute)
    }
  }
  return [...directories]
}

/** The directories in which something may run; all `cd` targets if they cannot be followed. */
export function directoriesOf(
  { trails }: Positioned,
  workspace: string,
  all: readonly string[],
): readonly string[] {
  if (trails === undefined) return all
  const ends = trails.map((trail) =>
    trail.reduce((at, target) => toPathForms(target, workspace, at).absolute, workspace),
  )
  return [...new Set(ends)]
}

/** Whether a directory stands for all that a wildcard may name, which only the box knows. */
export function isUntold(directory: string, workspace: string): boolean {
  return /[*?[]/.test(directory.slice(workspace.length))
}

/** An option before the pattern whose value is a file: `rg --ignore-file x`. */
const takesFile = /^--(?:ignore-file|exclude-f[a-z]*|include-f[a-z]*|load|include)$/

function mayNameFiles(words: readonly string[]): readonly string[] {
  const [program = ''] = words
  const name = baseName(program)
  const own = program.includes('/') && !isSystemProgram(program) ? [program] : []
  // It shows how full the file systems are.
  if (opensNothing.has(name) || name === 'df') return own
  if (name === 'adb') return words.slice(1, deviceCommand(words))
  if (name === 'kubectl' && words[1] === 'auth' && words[2] === 'can-i') return own
  const objects = objectNames(words)
  const copies = isContainerCopy(name, words)
  const mounts = runsImage.test(words.slice(0, 6).join(' ')) ? mountsOf(words) : undefined
  const isBuild = /^(?:dotnet|msbuild)$/.test(name)
  const rest = words
    .slice(1)
    .filter((_, at) => !objects.has(at + 1) && !isValueWord(name, words, at))
    .map((word) => (name === 'git' ? withoutRange(word) : word))
    .filter((word) => !(copies && containerPath.test(word)))
    // `/p:A=b` is a switch.
    .map((word) => (isBuild ? word.replace(/^\/(?=[a-z]+:)/i, '-') : word))
    .map((word, at, all) => (mounts === undefined ? word : inMount(word, all[at - 1], mounts)))
  const pattern = patternFirst.has(name) ? patternAt(rest) : -1
  return own.concat(pattern === -1 ? withoutScripts(name, rest) : rest.toSpliced(pattern, 1))
}

/** The line range of `git log -L /x/,/y/:file`, or the name of a function, before the name of the file. */
const range =
  /^(?:-L)?(?::[^:]+|(?:\/(?:[^/\\\n]|\\.)*\/|\d+)(?:,(?:\/(?:[^/\\\n]|\\.)*\/|[+-]?\d+))?):(?=[^:]+$)/

function withoutRange(word: string): string {
  return word.length < 400 ? word.replace(range, '') : word
}

/** `web:/app/x` of `docker cp`, a path on another file system. */
export const containerPath = /^\w[\w./-]*:\/[\w./-]*$/

/** `docker cp`, `docker container cp`, `kubectl -n x cp`. */
export function isContainerCopy(program: string, words: readonly string[]): boolean {
  if (!/^(?:docker(?:-compose)?|podman|nerdctl|kubectl|oc)$/.test(program)) return false
  const at = words.slice(0, 8).findIndex((word) => /^(?:cp|exec|run|debug)$/.test(word))
  return words[at] === 'cp'
}

/** Options whose next word is a pattern or a script: `sed -e '/^$/d'`, `grep -ne /x`. */
const takesScript: Readonly<Record<string, RegExp>> = {
  sed: /^-[nErs]*e$/,
  grep: /^-[nErRivwclohHsq]*e$/,
  egrep: /^-[nrRivwclohHsq]*e$/,
  fgrep: /^-[nrRivwclohHsq]*e$/,
  rg: /^-e$/,
}

function withoutScripts(name: string, rest: readonly string[]): readonly string[] {
  const option = Object.hasOwn(takesScript, name) ? takesScript[name] : undefined
  if (option === undefined) return rest
  const kept: string[] = []
  let hasEnded = false
  for (let at = 0; at < rest.length; at += 1) {
    const word = rest[at] ?? ''
    kept.push(word)
    if (word === '--') hasEnded = true
    if (!hasEnded && option.test(word)) at += 1
  }
  return kept
}

/** The index of the word that is a pattern or script rather than a path; -1 if an option gave it already. */
function patternAt(rest: readonly string[]): number {
  if (rest.some((word) => /^-[A-Za-z]*[ef]|^--(?:e|f|reg)/.test(word) && !leavesPattern.test(word)))
    return -1
  const at = rest.findIndex((word) => !word.startsWith('-'))
  return takesFile.test(rest[at - 1] ?? '') ? -1 : at
}

/** Long options of `grep` that start like `--expression` or `--file` but do not give the pattern. */
const leavesPattern =
  /^--(?:exclude(?:-dir)?=.|extended-regexp$|fixed-strings$|files-with(?:out)?-match(?:es)?$)/

/** A word, and its parts after `=`, `@`, `:`, `,`, `<` or the letters of short options. */
function partsOf(word: string): readonly string[] {
  if (freeFiles.has(word)) return []
  // Most words have no parts.
  if (!/^-[A-Za-z0-9]|[=@:,<]/.test(word)) return word === '' ? [] : [word]
  if (!/[=@:,<]/.test(word)) return [word, ...attachedValues(word)].filter(isFile)
  const url = /^([a-z][a-z0-9+.-]*):\/\//i.exec(word)
  // A file URL may name a host before its path; for some programs what it names is a path at once.
  if (url !== null)
    return /^fileb?$/i.test(url[1] ?? '')
      ? [word.replace(/^\w+:\/\/[^/]*/, ''), word.replace(/^\w+:\/\//, '')].filter(isFile)
      : []
  const plain = withoutAddresses(word)
  const parts = new Set([plain, ...plain.split(/[=@:,<]/)])
  const equals = plain.indexOf('=')
  if (equals !== -1) parts.add(plain.slice(equals + 1))
  for (const part of attachedValues(plain)) parts.add(part)
  return [...parts].filter(isFile)
}

/** A web address in a text or in JSON, up to a sign that ends it. */
const address = /(^|[\s"'(<[>])https?:\/\/[^\s"'()<>[\]]*/g

/** A text without the web addresses in it, whose parts are no paths; in a word without blanks or quotes `:` may separate paths. */
function withoutAddresses(word: string): string {
  return /[\s"]/.test(word) ? word.replaceAll(address, '$1') : word
}

function isFile(part: string): boolean {
  return part !== '' && !freeFiles.has(part)
}

/** `/x` of `-xvf/x`: any of the letters may take the rest as its value. */
function attachedValues(word: string): readonly string[] {
  // `-Dsbt.color=false` sets a property.
  const property = /^-D[a-z]\w*(?:\.[\w-]+)+=(.*)$/s.exec(word)?.[1]
  if (property !== undefined) return [word.slice(2), property]
  const letters = /^-([A-Za-z0-9]{1,8})/.exec(word)?.[1] ?? ''
  const values = [...letters].map((_, at) => word.slice(at + 2))
  // `-h127.0.0.1` and `-n0.5`.
  return values.filter((value) => !/^\.?\d[\d.]*$/.test(value))
}

function looksLikePath(part: string): boolean {
  return /^[/~]|(?:^|\/)\.\.(?:\/|$)/.test(part)
}
