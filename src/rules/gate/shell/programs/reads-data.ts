import { unwrapped } from '../plain-wrappers.ts'
import { baseName, isSystemProgram } from './program-name.ts'
import { opensNothing } from './programs.ts'

/** Programs that make nothing but data of what they read, or read nothing. */
const readers: ReadonlySet<string> = new Set(
  (
    'cat tee grep egrep fgrep rg wc sort uniq tr head tail cut paste nl fold fmt rev tac column expand unexpand join comm cmp ' +
    'diff od hexdump xxd strings base32 base64 md5sum sha1sum sha256sum sha512sum b2sum cksum shasum jq yq read ls mkdir cp mv ' +
    'touch stat du file cd numfmt seq tsort iconv split csplit date gzip gunzip zcat bzip2 xz zstd pbcopy xclip wl-copy ' +
    'sed awk gawk mawk nawk'
  ).split(' '),
)

/** An option that has a program read its own program, or the names of files, from its input. */
const takesOrders = /^-[A-Za-z]*f|^--f|^-?-?[\w-]*=?\/(?:dev\/(?:stdin|fd)|proc)\b/

/** `git commit -F -` and the like: a message. */
const messages: Readonly<Record<string, RegExp>> = {
  git: /^git (?:commit|tag|notes|status|diff|log|add|show|push)(?: |$)/,
  gh: /^gh (?:issue|pr|release) (?:create|comment|edit|review|close|merge) .*(?:--(?:body|notes)-file[= ]|-F ?)-/,
  glab: /^glab (?:issue|mr) (?:create|note|update) /,
}

const scripted = /^(?:python|node|ruby|perl|php)[\d.]*$/
const script = /^(?!\/(?:dev|proc)\/)[\w./-]+\.(?:py|[cm]?[jt]s|rb|pl|php)$/

/**
 * SHELL-03: whether a text that stands in the call, a here-document or what `echo` prints, is only data for this command.
 * What is not listed may run it.
 */
export function readsData(wrapped: readonly string[]): boolean {
  const words = unwrapped(wrapped)
  const [program = '', first = ''] = words
  if (!isSystemProgram(program)) return false
  const name = baseName(program)
  if (opensNothing.has(name)) return true
  if (readers.has(name))
    return isFree(name) || !words.slice(1).some((word) => takesOrders.test(word))
  if (scripted.test(name)) return script.test(first)
  if (name === 'curl') return sendsInput(words)
  return (
    Object.hasOwn(messages, name) &&
    messages[name]?.test([name, ...words.slice(1)].join(' ')) === true
  )
}

/** What `grep -f -` reads is no program, and `cut -f` has another meaning. */
function isFree(name: string): boolean {
  return !/^(?:sed|[gmn]?awk|[jy]q|file|wc|du)$/.test(name)
}

/** `curl -d @-`; its configuration is an order. */
function sendsInput(words: readonly string[]): boolean {
  const sends = words.some((word) => /^(?:-d|--data(?:-\w+)?=?)?@-$/.test(word))
  return sends && !words.some((word) => /^-[A-Za-z]*K|^--conf/.test(word))
}
