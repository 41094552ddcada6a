import type {
  Assignment,
  Command,
  CommandExpansionPart,
  CommandNode,
  HereDoc,
  Redirection,
  Word,
} from 'unbash'
import { assignmentHazard } from './assignments.ts'
import { cdTarget, goesBack, isMove } from './cd-target.ts'
import { listingText } from './listings.ts'
import { fedByXargs, isEnough, type Lines, linesOf } from './name-streams.ts'
import { openedGlobs } from './opened-globs.ts'
import { isOwnAssignment } from './own-name.ts'
import { unwrapped } from './plain-wrappers.ts'
import { baseName, isSystemProgram } from './programs/program-name.ts'
import { opensNothing } from './programs/programs.ts'
import { runsItsInput } from './programs/runs-its-input.ts'
import { isSilencing, redirectionHazard } from './redirections.ts'
import { commandWords } from './words/command-words.ts'
import type { Doubts } from './words/doubts.ts'
import type { HereDocument } from './words/here-document.ts'
import { knownWord } from './words/known-word.ts'
import { textHazards, type WordUse } from './words/text-words.ts'
import type { TokenCursor } from './words/token-cursor.ts'
import { programHazards, wordHazards } from './words/word-hazards.ts'

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

/** What is given to a command to read: a text that stands in the call, names of files, or anything else. */
export type Input = 'text' | Lines

/** Where a command stands. */
export interface Place {
  /** What it reads, where a pipe or a redirection of a group around it gives that. */
  readonly input: Input | undefined
  readonly isLooped: boolean
  /** The parts of the same pipe before it, the first of which is given nothing to read. */
  readonly before: readonly CommandNode[]
}

/** Goes through the parts of commands and their tokens side by side. */
export class SimpleCheck {
  readonly #cursor: TokenCursor
  readonly #doubts: Doubts
  readonly #visit: (part: CommandExpansionPart) => void
  /** How many directories that the text names `popd` goes back from. */
  #pushed = 0
  readonly #documents: ReadonlyMap<number, HereDocument>

  /** `visit` is called for each substitution whose output is only shown. */
  constructor(
    cursor: TokenCursor,
    doubts: Doubts,
    visit: (part: CommandExpansionPart) => void,
    documents: ReadonlyMap<number, HereDocument> = new Map(),
  ) {
    this.#cursor = cursor
    this.#doubts = doubts
    this.#visit = visit
    this.#documents = documents
  }

  command(command: Command, place: Place): void {
    if (command.name === undefined) this.#assignments(command)
    else {
      for (const part of command.prefix) this.#part(part, 'literal')
      for (const hazard of programHazards(command.name)) this.#doubts.hazard(hazard)
      this.#doubts.agree(this.#cursor.takesWord(command.name))
      this.#doubts.hazard(wrappedHazard(command))
    }
    const { useOf } = openedGlobs(command)
    let index = 0
    for (const part of command.suffix) {
      this.#part(part, useOf(index))
      if (part.type === 'Word') index += 1
    }
    this.#fed(command, place)
    if (isMove([command.name?.value ?? ''])) this.#move(command, place)
  }

  /** Variables that mean nothing to anybody are shown where they stand, or ask there. */
  #assignments({ prefix }: Command): void {
    for (const part of prefix) {
      if (!isOwnAssignment(part)) this.#part(part, 'literal')
      else this.#value(part)
    }
    const isPlain = prefix.every((part) => isOwnAssignment(part) || isSilenced(part))
    if (!isPlain) this.#doubts.hazard('a part of it has no command')
  }

  #value(assignment: Assignment & { readonly value: Word }): void {
    const { value } = assignment
    for (const hazard of textHazards(value, 'text', this.#visit)) this.#doubts.hazard(hazard)
    this.#doubts.agree(this.#cursor.takesWord(assignment))
  }

  #fed(command: Command, { input, before }: Place): void {
    const own = inputOf(command.redirects)
    const hazard = fedHazard(command, own ?? input)
    const fed = fedByXargs(commandWords(command))
    const isNul = fed?.isNul === true
    const isNamed = own === undefined && fed?.needs !== 'ids'
    const isList = hazard !== undefined && isNamed && (isNul || fed?.isSplit === true)
    const text = isList ? listingText(before, isNul) : undefined
    if (hazard === undefined || text === undefined) this.#doubts.hazard(hazard)
    else
      this.#doubts.listings.set(command, { text, hazard, ...(isNul && { isNul: true as const }) })
  }

  #move(command: Command, { isLooped }: Place): void {
    const words = commandWords(command)
    const isReturn = words.join(' ') === 'popd' && this.#pushed > 0
    if (cdTarget(words) !== undefined && words[0] === 'pushd') this.#pushed += 1
    if (isReturn) this.#pushed -= 1
    else if (goesBack(words))
      this.#doubts.hazard('it goes back to a directory that its text does not name')
    // Each round changes it again, so that nobody knows where paths begin.
    if (isLooped) this.#doubts.hazard('a loop changes the directory')
  }

  #part(part: Word | Assignment | Redirection, use: WordUse): void {
    if (part.type === 'Word') this.word(part, use)
    else if (part.type === 'Assignment') {
      this.#doubts.agree(this.#cursor.takesWord(part))
      this.#doubts.hazard(assignmentHazard(part))
    } else this.redirection(part)
  }

  word(word: Word, use: WordUse): void {
    const known = knownWord(word)
    for (const part of known?.substitutions ?? []) this.#visit(part)
    const judged = known?.word ?? word
    const hazards = use === 'literal' ? wordHazards(judged) : textHazards(judged, use, this.#visit)
    for (const hazard of hazards) this.#doubts.hazard(hazard)
    this.#doubts.agree(this.#cursor.takesWord(word))
  }

  redirection(redirection: Redirection): void {
    this.#doubts.hazard(redirectionHazard(redirection))
    if (redirection.type === 'HereDoc') this.#document(redirection)
    if (redirection.type !== 'Redirect') return
    const { descriptor, operator, target } = redirection
    if (descriptor?.type === 'FileDescriptor')
      this.#doubts.agree(this.#cursor.takesNumber(redirection.pos))
    this.#doubts.agree(this.#cursor.takes('operator', operator))
    this.#doubts.agree(this.#cursor.takesWord(target ?? redirection))
  }

  #document({ operator, delimiter, body }: HereDoc): void {
    this.#doubts.agree(this.#cursor.takes('operator', operator))
    this.#doubts.agree(delimiter !== undefined && this.#cursor.takesWord(delimiter))
    const own = this.#documents.get(delimiter?.pos ?? -1)
    this.#doubts.agree(own?.pos === body.pos && own.body === body.text)
  }
}

function isSilenced(part: Assignment | Redirection): boolean {
  return part.type !== 'Assignment' && isSilencing(part)
}

/** A wrapper's command is named as plainly as one that stands alone. */
function wrappedHazard(command: Command): string | undefined {
  const words = commandWords(command)
  const inner = unwrapped(words)
  const name = command.args[words.length - inner.length - 1]
  return inner === words || name?.text === inner[0]
    ? undefined
    : 'a program name is quoted, escaped or made up'
}

/** What redirections give a command to read. */
export function inputOf(redirections: readonly Redirection[]): Input | undefined {
  const inputs = redirections.filter(({ operator }) => operator.startsWith('<'))
  if (inputs.length === 0) return undefined
  return inputs.some(({ type }) => type !== 'Redirect') ? 'text' : 'stream'
}

/** What a part of a pipe hands on, by what the one before it gave. */
export function givenBy(node: CommandNode, before: Input | undefined): Input {
  if (before === 'text' || givesText(node)) return 'text'
  const isPlain = node.type === 'Command' && node.redirects.every(isSilencing)
  return isPlain ? linesOf(commandWords(node), before) : 'stream'
}

/** Whether a part of a pipe hands on a text that stands in the call. */
function givesText(node: CommandNode): boolean {
  if (node.type !== 'Command') return true
  return /^(?:echo|printf)$/.test(node.name?.value ?? '') || inputOf(node.redirects) === 'text'
}

/** What a pipe gives is nobody's words: no rule for `curl *` and one for `sh` make a rule for their pipe. */
function fedHazard(command: Command, input: Input | undefined): string | undefined {
  const words = unwrapped(commandWords(command))
  const fed = fedByXargs(words)
  if (fed !== undefined) {
    const given = input === undefined || input === 'text' ? 'stream' : input
    return isEnough(given, fed.needs)
      ? undefined
      : `${words[0]} gives ${fed.command[0]} words that the text does not tell`
  }
  if (input === undefined) return undefined
  if (runsItsInput(words)) return `${words[0]} runs what the pipe gives it`
  return input === 'text' && !readsData(words)
    ? `${words[0]} may run the text that it is given to read`
    : undefined
}

/**
 * SHELL-03: whether a text that stands in the call, a here-document or what `echo` prints, is only data for this command.
 * What is not listed may run it.
 */
function readsData(wrapped: readonly string[]): boolean {
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
