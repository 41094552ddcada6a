import type { Command, Word } from 'unbash'

/** Programs that only read the files they are given. */
const readers: ReadonlySet<string> = new Set(
  (
    'cat head tail nl tac rev sort cut paste comm join diff cmp grep egrep fgrep rg fold fmt expand unexpand od hexdump ' +
    'strings column base64 file sed awk gawk mawk jq'
  ).split(' '),
)

/** Their options only affect the output, so a file name may be one. */
const harmlessByOption: ReadonlySet<string> = new Set(['cat', 'head', 'tail', 'nl', 'tac'])

/** Options before a script that leave no doubt that the next word is the script. */
const beforeScript: Readonly<Record<string, RegExp>> = {
  sed: /^-[nEruz]+$/,
  jq: /^-[rcsSeaCMjn]+$/,
  awk: /^-F./,
  gawk: /^-F./,
  mawk: /^-F./,
}

/** Literal directories without `..`; wildcards in the last name only, which is not hidden. */
const shape = /^(?:\.\/)?(?:(?!\.{1,2}\/)[\w.][\w.@+,-]*\/)*(?!\.)(?:[\w.@+,-]|[*?]|\[[\w-]+\])+$/

/** All files of one extension in one directory, none hidden; no harmful option of a changing program ends like this. */
const ofKind = /^(?:\.\/)?(?:\w[\w.@+,-]*\/)*\*(?:\.\w+)*\.([a-z][\w-]{0,11})$/

/** Whether a wildcard stands for all files of one extension in one directory, as `src/*.ts` does. */
export function isOfKind(glob: string): boolean {
  return ofKind.test(glob)
}

/** Programs that change the files they are given, without running or showing them. */
const changers: ReadonlySet<string> = new Set(['rm', 'chmod', 'cp', 'mv'])
/** Extensions of files that never hold instructions for programs, in any directory. */
const orderless =
  /^(?:log|txt|csv|tsv|tmp|bak|orig|out|o|tsx?|jsx|vue|svelte|s?css|less|html?|map|png|jpe?g|gif|svg|ico|webp|pdf|woff2?|go|rs|java|kt|swift|c|h|cc|cpp|hpp|sql|gz|tgz|zip|zst|xz|parquet)$/
const directory = /^(?:\.|\w[\w./-]*\/)$/

export const maxGlobCharacters = 100
const piece = String.raw`(?:[\w.+,*-]|\[\d-\d\])`
/** Below the directory, with no hidden name for a wildcard; characters with a meaning to programs only after a slash. */
export const openedShape = new RegExp(
  String.raw`^(?:\./)?(?!-|[^/]*[=@%:])(?:(?!\.{1,2}/|\.[^/]*[*?[])(?:${piece}|[=@%:])+/)*(?!\.[^/]*[*?[])(?:${piece}|[=@%:])*$`,
)

const none: ReadonlyMap<number, string> = new Map()

/**
 * Words that stand for files of one directory, which a program shows or changes; the rules for paths decide on the possible
 * names. By index of the words after the program's name. Other wildcards ask.
 */
export function fileGlobs(command: Command): ReadonlyMap<number, string> {
  const program = command.name?.text ?? ''
  const words = command.suffix.filter((part) => part.type === 'Word')
  if (!readers.has(program) && !changers.has(program) && !listsArchive(program, words)) return none
  if (!words.some(isGlob)) return none
  if (changers.has(program)) return changedGlobs(program, words)
  const script = scriptAt(
    program,
    words.map(({ value }) => value),
  )
  const found = new Map<number, string>()
  for (const [at, word] of words.entries()) {
    if (script === undefined || at <= script || !isGlob(word) || !shape.test(word.text)) continue
    if (word.text.length > maxGlobCharacters) continue
    // A name that starts with a wildcard may start with a dash.
    const isOperand = /^(?:\w|\.\/)/.test(word.text) || harmlessByOption.has(program)
    if (isOperand || (script === -1 && endsOptions(words.slice(0, at)))) found.set(at, word.text)
  }
  return found
}

/** `tar -tzf dist/*.tgz`, which of several files reads the first as an archive. */
function listsArchive(program: string, words: readonly Word[]): boolean {
  const [letters, ...others] = words
  return (
    program === 'tar' && others.length === 1 && /^-?[vzjJ]*t[vzjJ]*f$/.test(letters?.text ?? '')
  )
}

/** Whether a program changes the files that its wildcards name. */
export function changesFiles([program = '']: readonly string[]): boolean {
  return changers.has(program)
}

/** `rm -f *.tmp`, `cp src/*.ts dist/`: a file put into a directory keeps its name, so rules still match it. */
function changedGlobs(program: string, words: readonly Word[]): ReadonlyMap<number, string> {
  const isMoved = program === 'cp' || program === 'mv'
  const target = words.at(-1)
  if (isMoved && (target === undefined || isGlob(target) || !directory.test(target.text)))
    return none
  if (isMoved && words.some(({ value }) => /^-[A-Za-z]*[tTS]|^--[tns]/.test(value))) return none
  const globs = [...words.entries()].filter(([, word]) => isGlob(word))
  const areKnown = globs.every(([, { text }]) => {
    const kind = text.length > maxGlobCharacters ? undefined : ofKind.exec(text)?.[1]
    // A name with a leading dash would be an option; with these endings, some options name a workspace directory or an extension.
    return kind !== undefined && (!isMoved || orderless.test(kind))
  })
  return areKnown ? new Map(globs.map(([at, { text }]) => [at, text])) : none
}

/** Whether bash treats a word as a file name pattern. */
export function isGlob({ parts }: Word): boolean {
  return parts?.some(({ type }) => type === 'Glob') === true
}

/** The index of the script; -1 for a program without one, undefined if an option may have given it. */
export function scriptAt(program: string, words: readonly string[]): number | undefined {
  const options = Object.hasOwn(beforeScript, program) ? beforeScript[program] : undefined
  if (options === undefined) return -1
  const at = words.findIndex((word) => !word.startsWith('-'))
  const before = words.slice(0, at === -1 ? undefined : at)
  const isCertain = before.every((word) => options.test(word))
  const hasLater = words.slice(at + 1).some((word) => word.startsWith('-'))
  return at === -1 || !isCertain || hasLater ? undefined : at
}

/** Whether there is a `--` that no option can have taken as its value. */
function endsOptions(words: readonly Word[]): boolean {
  return words.some(({ text }, at) => text === '--' && !words[at - 1]?.value.startsWith('-'))
}
