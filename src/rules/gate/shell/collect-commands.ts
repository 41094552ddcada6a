import {
  type Command,
  forEachChild,
  type HereDoc,
  type HereString,
  type ParsedScript,
  type SyntaxNode,
  type TestCommand,
} from 'unbash'
import type { CommandRole, Part, Positioned, Redirection, SubCommand } from './analysis.ts'
import { hazardsOf } from './command-hazards.ts'
import { fedStatements } from './fed-statements.ts'
import { innerCommands } from './inner-commands.ts'
import { redirectionsOf } from './listings.ts'
import { openedGlobs } from './opened-globs.ts'
import { partsOf } from './parts.ts'
import { baseName } from './programs/program-name.ts'
import { wrappers } from './programs/programs.ts'
import { testWords } from './test-command.ts'
import { type CdSequences, followCds } from './trails.ts'
import { commandWords } from './words/command-words.ts'
import { parseScript } from './words/parse-script.ts'

/** More are refused: each is evaluated by every rule that may match it. */
export const maxCommands = 4_000

const maxWords = 16

const maxDepth = 6

const maxNodes = 200_000

/** Limit of words of inner commands; nested wrappers each try several start positions. */
const maxInnerWords = 4_000

const maxFed = 50

/** Limit of words after the last wrapper that is examined: further words are not tried as commands one by one. */
const maxDeepWords = 400

/** Without these there is only one directory and nothing to follow. */
const moves = /cd|pushd|popd/

/** All commands that a script would run, in the order of the text, and its redirections. */
interface Collected {
  readonly commands: readonly SubCommand[]
  readonly redirections: readonly Redirection[]
  /** The parser reported errors, nested scripts included. */
  readonly hasErrors: boolean
  /** Wrappers are nested deeper than is examined, with more words after them than are tried. */
  readonly isTooDeep: boolean
  placeOf(node: SyntaxNode): Positioned
}

/**
 * SHELL-01: walks all nodes of a syntax tree, then the commands of wrappers and shells. In a long script `cd` is not followed;
 * the walk stops at the limit of commands.
 */
export function collectCommands(script: ParsedScript, text: string, isLong: boolean): Collected {
  const trails = !isLong && moves.test(text) ? followCds(script) : undefined
  const collector = new Collector(trails, isLong ? new Map() : partsOf(script))
  collector.script(script, text, 0, 'plain')
  collector.fed()
  return collector
}

class Collector implements Collected {
  readonly commands: SubCommand[] = []
  readonly redirections: Redirection[] = []
  hasErrors = false
  isTooDeep = false
  #nodes = 0
  #innerWords = 0
  /** Text that commands print or receive; it runs if the same script contains a shell. */
  readonly #fed: string[] = []
  #hasShell = false
  readonly #trails: CdSequences | undefined
  readonly #parts: ReadonlyMap<SyntaxNode, Part>

  constructor(trails: CdSequences | undefined, parts: ReadonlyMap<SyntaxNode, Part>) {
    this.#trails = trails
    this.#parts = parts
  }

  /** Here-documents and printed text, which are code for a shell at the end of a pipe. */
  fed(): void {
    if (!this.#hasShell) return
    for (const text of this.#fed.slice(0, maxFed)) this.#code(text, 1)
  }

  /** Uses its own stack: a tree may be deeper than the call stack. */
  script(script: ParsedScript, text: string, depth: number, standing: CommandRole): void {
    const stack: { node: SyntaxNode; text: string }[] = [{ node: script, text }]
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      this.#nodes += 1
      if (this.#nodes > maxNodes) this.hasErrors = true
      if (this.#nodes > maxNodes || this.#isFull) return
      const { node } = item
      const source = node.type === 'Script' ? (node.source ?? item.text) : item.text
      if (node.type === 'Script' && (node.errors?.length ?? 0) > 0) this.hasErrors = true
      if (node.type === 'Command') this.#command(node, source, depth, standing)
      if (node.type === 'TestCommand') this.#test(node, source, standing)
      if (node.type === 'Redirect') {
        const place = this.placeOf(node)
        this.redirections.push(...redirectionsOf(node).map((to) => ({ ...to, ...place })))
      }
      const children: SyntaxNode[] = []
      forEachChild(node, (child) => {
        if (!isPlainWord(child)) children.push(child)
      })
      for (const child of children.reverse()) stack.push({ node: child, text: source })
    }
  }

  placeOf(node: SyntaxNode): Positioned {
    return { trails: this.#trails?.get(node), part: this.#parts.get(node) }
  }

  get #isFull(): boolean {
    return this.commands.length > maxCommands
  }

  /** Not a program, but rules can match it like `[`. */
  #test(node: TestCommand, text: string, standing: CommandRole): void {
    if (this.#isFull) return
    const source = text.slice(node.pos, node.end)
    const place = this.placeOf(node)
    this.commands.push({ words: testWords(node), source, standing, ...place, hazards: [] })
  }

  #command(command: Command, text: string, depth: number, standing: CommandRole): void {
    if (command.name === undefined) return
    const words = [...commandWords(command), ...fedStatements(command)]
    const source = text.slice(command.pos, command.end)
    this.#add(
      { words, source, standing, ...this.placeOf(command), ...openedGlobs(command).told },
      depth,
    )
    const program = baseName(words[0] ?? '')
    if (wrappers.get(program)?.takesCode === true) this.#hasShell = true
    if (program === 'echo' || program === 'printf') this.#fed.push(words.slice(1).join(' '))
    for (const redirect of command.redirects) {
      if (redirect.type !== 'Redirect') this.#fed.push(codeOf(redirect))
    }
  }

  #add(found: Omit<SubCommand, 'hazards'>, depth: number): void {
    if (this.#isFull) return
    const { words, standing, trails, part } = found
    this.commands.push({ ...found, ...hazardsOf(words) })
    if (depth >= maxDepth) {
      this.hasErrors = true
      this.isTooDeep ||= words.length > maxDeepWords
      return
    }
    if (standing === 'perhaps') return
    const inner = innerCommands(words)
    if (inner.isCut) this.hasErrors = true
    for (const command of inner.commands) {
      if (command.length > 0)
        this.#inner(command, depth + 1, inner.isCertain ? standing : 'perhaps', { trails, part })
    }
    for (const code of inner.scripts) this.#code(code, depth + 1)
  }

  #inner(words: readonly string[], depth: number, outer: CommandRole, place: Positioned): void {
    this.#innerWords += words.length
    if (this.#innerWords > maxInnerWords) {
      this.hasErrors = true
      this.isTooDeep ||= depth > 1 && words.length > maxDeepWords
    } else {
      const standing = outer === 'perhaps' ? outer : 'wrapped'
      this.#add({ words, source: words.join(' '), standing, ...place }, depth)
    }
  }

  #code(code: string, depth: number): void {
    const script = depth > maxDepth ? undefined : parseScript(code)
    if (script !== undefined) this.script(script, code, depth, 'wrapped')
    if (script !== undefined && !script.errors?.length) return
    this.hasErrors = true
    this.commands.push(...roughCommands(code))
  }
}

/** The most frequent case: a word without nested parts. */
function isPlainWord(node: SyntaxNode): boolean {
  return node.type === 'Word' && node.parts === undefined
}

function codeOf(redirect: HereDoc | HereString): string {
  return redirect.type === 'HereDoc' ? redirect.body.text : (redirect.target?.value ?? '')
}

/**
 * Guesses the commands in a text that the parser could not read, so that deny rules still apply. Each word is tried as the start
 * of a command, without quotes.
 */
export function roughCommands(text: string): readonly SubCommand[] {
  const commands: SubCommand[] = []
  const seen = { whole: new Set<string>(), overlapping: new Set<string>() }
  for (const piece of text.split(/[;|&\n(){}`<>]|\$\(/)) {
    const words = piece
      .replaceAll(/["'\\]/g, '')
      .split(/\s+/)
      .filter(Boolean)
    for (let at = 0; at < words.length && commands.length <= maxCommands; at += 1) {
      const rest = words.slice(at, at + maxWords)
      for (const found of [rest, ...attachedCode(rest)]) {
        const source = found.join(' ')
        const overlaps = found === rest && at % (maxWords - 1) > 0
        const alike = overlaps ? seen.overlapping : seen.whole
        if (alike.has(source)) continue
        alike.add(source)
        commands.push({ words: found, source, standing: 'wrapped', hazards: [], overlaps })
      }
    }
  }
  return commands
}

/** Code attached to an option, `env -Srm x`: no word starts with it, so it needs a guess of its own. */
function attachedCode(words: readonly string[]): readonly (readonly string[])[] {
  if (!wrappers.has(baseName(words[0] ?? ''))) return []
  if (!words.some((word) => word.length > 2 && word.startsWith('-'))) return []
  const { scripts } = innerCommands(words)
  return scripts.map((code) => code.split(/\s+/))
}
