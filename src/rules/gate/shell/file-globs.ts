import type { Command, Word } from 'unbash'

/** Programs that read the files which they are given, and do nothing else with them. */
const readers: ReadonlySet<string> = new Set(
  (
    'cat head tail nl tac rev sort cut paste comm join diff cmp grep egrep fgrep rg fold fmt expand unexpand od hexdump ' +
    'strings column base64 cksum sum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum file sed awk gawk mawk jq'
  ).split(' '),
)

/** Of these every option only changes how it is shown, so that a file's name may be one. */
const harmlessByOption: ReadonlySet<string> = new Set(['cat', 'head', 'tail', 'nl', 'tac'])

/** Options in front of a script, after which what follows is certain to be the script. */
const beforeScript: Readonly<Record<string, RegExp>> = {
  sed: /^-[nEruz]+$/,
  jq: /^-[rcsSeaCMjn]+$/,
  awk: /^-F./,
  gawk: /^-F./,
  mawk: /^-F./,
}

/** Directories in full, none of them above; wildcards in the last name alone, which is not a hidden one. */
const shape = /^(?:\.\/)?(?:(?!\.{1,2}\/)[\w.][\w.@+,-]*\/)*(?!\.)(?:[\w.@+,-]|[*?]|\[[\w-]+\])+$/

const maxCharacters = 100

const none: ReadonlyMap<number, string> = new Map()

/**
 * Words that stand for files of one directory, which a program shows: what they may name is judged by the rules for paths.
 * By their places among the words behind the program's name. Other wildcards ask.
 */
export function fileGlobs(command: Command): ReadonlyMap<number, string> {
  const program = command.name?.text ?? ''
  if (!readers.has(program)) return none
  const words = command.suffix.filter((part) => part.type === 'Word')
  if (!words.some(isGlob)) return none
  const script = scriptAt(program, words)
  const found = new Map<number, string>()
  for (const [at, word] of words.entries()) {
    if (script === undefined || at <= script || !isGlob(word) || !shape.test(word.text)) continue
    if (word.text.length > maxCharacters) continue
    // A name that a wildcard begins may begin with a dash.
    const isOperand = /^(?:\w|\.\/)/.test(word.text) || harmlessByOption.has(program)
    if (isOperand || (script === -1 && endsOptions(words.slice(0, at)))) found.set(at, word.text)
  }
  return found
}

function isGlob({ parts }: Word): boolean {
  return parts?.some(({ type }) => type === 'Glob') === true
}

/** Where the script stands; -1 for a program without one, undefined where an option may have given it. */
function scriptAt(program: string, words: readonly Word[]): number | undefined {
  const options = Object.hasOwn(beforeScript, program) ? beforeScript[program] : undefined
  if (options === undefined) return -1
  const at = words.findIndex(({ value }) => !value.startsWith('-'))
  const before = words.slice(0, at === -1 ? undefined : at)
  const isCertain = before.every(({ value }) => options.test(value))
  const hasLater = words.slice(at + 1).some(({ value }) => value.startsWith('-'))
  return at === -1 || !isCertain || hasLater ? undefined : at
}

/** Whether a `--` stands there that no option can have taken as its value. */
function endsOptions(words: readonly Word[]): boolean {
  return words.some(({ text }, at) => text === '--' && !words[at - 1]?.value.startsWith('-'))
}
