import type {
  Assignment,
  Command,
  CommandExpansionPart,
  CommandNode,
  HereDoc,
  Redirection,
  Word,
  WordPart,
} from 'unbash'
import { cdTarget, isMove, returnsToPrevious } from './cd-target.ts'
import { isSilencing, listingText, redirectionHazard } from './listings.ts'
import { lineTrustOf } from './name-streams.ts'
import { isObjectKind } from './object-streams.ts'
import { openedGlobs } from './opened-globs.ts'
import { unwrapped } from './plain-wrappers.ts'
import { type Input, inputHazard } from './programs/input-hazard.ts'
import { assignmentHazard } from './variables/assignments.ts'
import { isOwnAssignment } from './variables/own-name.ts'
import { commandWords } from './words/command-words.ts'
import type { Doubts } from './words/doubts.ts'
import type { HereDocument } from './words/here-document.ts'
import { knownWord } from './words/known-word.ts'
import { textHazards, type WordUse } from './words/text-words.ts'
import type { TokenCursor } from './words/token-cursor.ts'
import { programHazards, wordHazards } from './words/word-hazards.ts'
import { parseXargs } from './xargs.ts'

/** The context of a command. */
export interface Place {
  /** Its input, if a pipe or a redirection of a surrounding group provides it. */
  readonly input: Input | undefined
  readonly isLooped: boolean
  /** The earlier parts of the same pipe; the first of them has no input. */
  readonly before: readonly CommandNode[]
}

/** Walks the parts of commands and their tokens in parallel. */
export class SimpleCheck {
  readonly #cursor: TokenCursor
  readonly #doubts: Doubts
  readonly #visit: (part: CommandExpansionPart) => void
  /** Number of directories named in the text that `popd` can return from. */
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
      for (const part of command.prefix)
        if (isWholeLine(part, command)) this.#doubts.agree(this.#cursor.takesWord(part))
        else this.#part(part, 'literal')
      for (const hazard of programHazards(command.name))
        this.#doubts.word(hazard, command.name.text)
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

  /** Variables without a special meaning are checked where they are used, or ask there. */
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
    // The output is not expanded again, quoted or not.
    const use = (value.parts ?? []).every(isOutput) ? 'opened' : 'text'
    for (const hazard of textHazards(value, use, this.#visit)) this.#doubts.word(hazard, value.text)
    this.#doubts.agree(this.#cursor.takesWord(assignment))
  }

  #fed(command: Command, { input, before }: Place): void {
    const own = inputOf(command.redirects)
    const hazard = inputHazard(command, own ?? input)
    const fed = parseXargs(commandWords(command))
    const isNul = fed?.isNul === true
    const isNamed = own === undefined && fed !== undefined && !isObjectKind(fed.needs)
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
    else if (returnsToPrevious(words))
      this.#doubts.hazard('it goes back to a directory that its text does not name')
    // Each round changes it again, so the base of paths is unknown.
    if (isLooped) this.#doubts.hazard('a loop changes the directory')
  }

  #part(part: Word | Assignment | Redirection, use: WordUse): void {
    if (part.type === 'Word') this.word(part, use)
    else if (part.type === 'Assignment') {
      this.#doubts.agree(this.#cursor.takesWord(part))
      const hazard = assignmentHazard(part)
      this.#doubts.hazard(hazard, { kind: 'unanalysable', of: part.text })
    } else this.redirection(part)
  }

  word(word: Word, use: WordUse): void {
    const known = knownWord(word)
    for (const part of known?.substitutions ?? []) this.#visit(part)
    const judged = known?.word ?? word
    const hazards = use === 'literal' ? wordHazards(judged) : textHazards(judged, use, this.#visit)
    for (const hazard of hazards) this.#doubts.word(hazard, word.text)
    this.#doubts.agree(this.#cursor.takesWord(word))
  }

  /** A pattern of `case` matches texts, not files. */
  casePattern(word: Word): void {
    if (plainPattern.test(word.text)) this.#doubts.agree(this.#cursor.takesWord(word))
    else this.word(word, 'literal')
  }

  redirection(redirection: Redirection): void {
    this.#doubts.hazard(redirectionHazard(redirection))
    if (redirection.type === 'HereDoc') this.#document(redirection)
    if (redirection.type !== 'Redirect') return
    const { descriptor, operator, target } = redirection
    if (descriptor?.type === 'FileDescriptor')
      this.#doubts.agree(this.#cursor.takesNumber(redirection.pos))
    this.#doubts.agree(this.#cursor.takes('operator', operator))
    const { substitutions = [] } = (target && knownWord(target)) ?? {}
    for (const part of substitutions) this.#visit(part)
    this.#doubts.agree(this.#cursor.takesWord(target ?? redirection))
  }

  #document({ operator, delimiter, body }: HereDoc): void {
    this.#doubts.agree(this.#cursor.takes('operator', operator))
    this.#doubts.agree(delimiter !== undefined && this.#cursor.takesWord(delimiter))
    const own = this.#documents.get(delimiter?.pos ?? -1)
    this.#doubts.agree(own?.pos === body.pos && own.body === body.text)
  }
}

const plainPattern = /^(?:[\w.*?/:=@%+,-]|\[!?[\w-]+\])+$/

/** `IFS= read -r line`: blanks stay in the line. `IFS=, read -r a b`: for this one line only. */
function isWholeLine(part: Assignment | Redirection, { name }: Command): part is Assignment {
  return part.type === 'Assignment' && separates.test(part.text) && name?.text === 'read'
}

const separates = /^IFS=(?:|[,:|=]|\$'\\t'|(["'])[,:;|=\t ]?\1)$/

function isOutput({ type }: WordPart): boolean {
  return type === 'CommandExpansion'
}

function isSilenced(part: Assignment | Redirection): boolean {
  return part.type !== 'Assignment' && isSilencing(part)
}

/** An inner command must be named as plainly as one on its own. */
function wrappedHazard(command: Command): string | undefined {
  const words = commandWords(command)
  const inner = unwrapped(words)
  const name = command.args[words.length - inner.length - 1]
  return inner === words || name?.text === inner[0]
    ? undefined
    : 'a program name is quoted, escaped or made up'
}

/** The input that redirections give to a command. */
export function inputOf(redirections: readonly Redirection[]): Input | undefined {
  const inputs = redirections.filter(({ operator }) => operator.startsWith('<'))
  if (inputs.length === 0) return undefined
  if (inputs.every(isEmpty)) return 'empty'
  return inputs.some(({ type }) => type !== 'Redirect') ? 'text' : 'stream'
}

/** `< /dev/null` */
function isEmpty(node: Redirection): boolean {
  return (
    node.type === 'Redirect' &&
    node.operator === '<' &&
    node.descriptor === undefined &&
    node.target?.text === '/dev/null'
  )
}

/** The output of a pipe part, given the output of the previous one. */
export function pipeOutputOf(node: CommandNode, before: Input | undefined): Input {
  if (before === 'text' || givesText(node)) return 'text'
  const isPlain = node.type === 'Command' && node.redirects.every(isSilencing)
  return isPlain
    ? lineTrustOf(commandWords(node), before === 'empty' ? 'stream' : before)
    : 'stream'
}

/** Whether a pipe part passes on text that stands in the call. */
function givesText(node: CommandNode): boolean {
  if (node.type !== 'Command') return true
  return /^(?:echo|printf)$/.test(node.name?.value ?? '') || inputOf(node.redirects) === 'text'
}
