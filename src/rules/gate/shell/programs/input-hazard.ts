import type { Command } from 'unbash'
import { fedStatements } from '../fed-statements.ts'
import { isTrustedEnough, type LineTrust } from '../name-streams.ts'
import { unwrapped } from '../plain-wrappers.ts'
import { commandWords } from '../words/command-words.ts'
import { parseXargs } from '../xargs.ts'
import { baseName, isSystemProgram } from './program-name.ts'
import { opensNothing } from './programs.ts'
import { onlyTries, runsItsInput } from './runs-its-input.ts'

/** Programs that only produce data from their input, or read none. */
const readers: ReadonlySet<string> = new Set(
  (
    'cat tee grep egrep fgrep rg wc sort uniq tr head tail cut paste nl fold fmt rev tac column expand unexpand join comm cmp ' +
    'diff od hexdump xxd strings base32 base64 md5sum sha1sum sha256sum sha512sum b2sum cksum shasum jq yq read ls mkdir cp mv ' +
    'touch stat du file cd numfmt seq tsort iconv split csplit date gzip gunzip zcat bzip2 xz zstd pbcopy xclip wl-copy ' +
    'sed awk gawk mawk nawk shuf tsort factor'
  ).split(' '),
)

/** An option that makes a program read code or file names from its input. */
const readsCodeFromInput = /^-[A-Za-z]*f|^--f|^-?-?[\w-]*=?\/(?:dev\/(?:stdin|fd)|proc)\b/

/** `git commit -F -` and similar commands read a message. */
const messages: Readonly<Record<string, RegExp>> = {
  git: /^git (?:commit|tag|notes|status|diff|log|add|show|push)(?: |$)/,
  gh: /^gh (?:issue|pr|release) (?:create|comment|edit|review|close|merge) .*(?:--(?:body|notes)-file[= ]|-F ?)-/,
  glab: /^glab (?:issue|mr) (?:create|note|update) /,
}

const scripted = /^(?:python|node|ruby|perl|php)[\d.]*$/

const script = /^(?!\/(?:dev|proc)\/)[\w./-]+\.(?:py|[cm]?[jt]s|rb|pl|php)$/

/** The input of a command: text in the call, nothing, file names, or anything else. */
export type Input = 'text' | 'empty' | LineTrust

/** The content of a pipe is unknown: rules for `curl *` and `sh` together do not allow `curl | sh`. */
export function inputHazard(command: Command, input: Input | undefined): string | undefined {
  const words = unwrapped(commandWords(command))
  // What they say is judged as a word of the command.
  if (input === 'text' && fedStatements(command).length > 0) return undefined
  const fed = parseXargs(words)
  if (fed !== undefined) {
    const given = input === undefined || input === 'text' || input === 'empty' ? 'stream' : input
    return isTrustedEnough(given, fed.needs)
      ? undefined
      : `${words[0]} gives ${fed.command[0]} words that the text does not tell`
  }
  if (input === undefined || input === 'empty') return undefined
  if (input === 'text' && words.slice(0, 2).join(' ') === 'openssl s_client') return undefined
  if (runsItsInput(words)) return `${words[0]} runs what the pipe gives it`
  return input === 'text' && !readsData(words)
    ? `${words[0]} may run the text that it is given to read`
    : undefined
}

/**
 * SHELL-03: whether a text in the call (a here-document, or the output of `echo`) is only data for this command. Commands not
 * listed may run it.
 */
function readsData(wrapped: readonly string[]): boolean {
  const words = unwrapped(wrapped)
  const [program = '', first = ''] = words
  if (!isSystemProgram(program)) return false
  const name = baseName(program)
  if (opensNothing.has(name)) return true
  // Its language computes and prints; that of `dc` starts commands.
  if (name === 'bc') return words.slice(1).every((word) => /^-[lqsw]+$/.test(word))
  if (readers.has(name))
    return !hasScript.test(name) || !words.slice(1).some((word) => readsCodeFromInput.test(word))
  if (scripted.test(name)) return script.test(first)
  if (name === 'curl') return sendsInput(words)
  if (onlyTries(words)) return true
  if (name === 'openssl') return /^[a-z]\w+$/.test(first)
  return (
    Object.hasOwn(messages, name) &&
    messages[name]?.test([name, ...words.slice(1)].join(' ')) === true
  )
}

/** Input of `grep -f -` is no program, and `cut -f` has another meaning. */
const hasScript = /^(?:sed|[gmn]?awk|[jy]q|file|wc|du)$/

/** `curl -d @-`; a configuration file would contain instructions. */
function sendsInput(words: readonly string[]): boolean {
  const sends = words.some((word) => /^(?:-d|--data(?:-\w+)?=?)?@-$/.test(word))
  return sends && !words.some((word) => /^-[A-Za-z]*K|^--conf/.test(word))
}
