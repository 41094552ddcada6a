import {
  type Command,
  forEachChild,
  type HereDoc,
  type HereString,
  type ParsedScript,
  type Redirect,
  type SyntaxNode,
} from 'unbash'
import type { Redirection, Standing, SubCommand } from './analysis.ts'
import { commandHazards, requiredForm } from './command-hazards.ts'
import { innerCommands } from './inner-commands.ts'
import { parseScript } from './parse-script.ts'
import { baseName } from './program-name.ts'
import { wrappers } from './programs.ts'
import { roughCommands } from './rough-commands.ts'

const maxDepth = 6
const maxNodes = 200_000
/** Words of commands that wrappers may run; each wrapper in a row tries several starts. */
const maxInnerWords = 10_000
const maxFed = 50

/** Everything that a script would run, in the order of the text, and where its redirections go. */
export interface Collected {
  readonly commands: readonly SubCommand[]
  readonly redirections: readonly Redirection[]
  /** Whether the parser was unsure anywhere, nested scripts included. */
  readonly hasErrors: boolean
}

/** SHELL-01: walks every node of a syntax tree, then what wrappers and shells would run. */
export function collectCommands(script: ParsedScript, text: string): Collected {
  const collector = new Collector()
  collector.script(script, text, 0, 'plain')
  collector.fed()
  return collector
}

class Collector implements Collected {
  readonly commands: SubCommand[] = []
  readonly redirections: Redirection[] = []
  hasErrors = false
  #nodes = 0
  #innerWords = 0
  /** Text that commands print or are given, which runs when a shell stands in the same script. */
  readonly #fed: string[] = []
  #hasShell = false

  /** Here-documents and printed text: code for a shell at the end of a pipe. */
  fed(): void {
    if (!this.#hasShell) return
    for (const text of this.#fed.slice(0, maxFed)) this.#code(text, 1)
  }

  /** The walk keeps its own stack: a tree may be deeper than the machine's. */
  script(script: ParsedScript, text: string, depth: number, standing: Standing): void {
    const stack: { node: SyntaxNode; text: string }[] = [{ node: script, text }]
    for (let item = stack.pop(); item !== undefined; item = stack.pop()) {
      this.#nodes += 1
      if (this.#nodes > maxNodes) {
        this.hasErrors = true
        return
      }
      const { node } = item
      const source = node.type === 'Script' ? (node.source ?? item.text) : item.text
      if (node.type === 'Script' && (node.errors?.length ?? 0) > 0) this.hasErrors = true
      if (node.type === 'Command') this.#command(node, source, depth, standing)
      if (node.type === 'Redirect') this.redirections.push(toRedirection(node))
      const children: SyntaxNode[] = []
      forEachChild(node, (child) => children.push(child))
      for (const child of children.reverse()) stack.push({ node: child, text: source })
    }
  }

  #command(command: Command, text: string, depth: number, standing: Standing): void {
    if (command.name === undefined) return
    const words = [
      command.name.value,
      ...command.args.map((word) => (word.type === 'Word' ? word.value : word.text)),
    ]
    const source = text.slice(command.pos, command.end)
    this.#add(words, source, depth, standing)
    const program = baseName(words[0] ?? '')
    if (wrappers.get(program)?.takesCode === true) this.#hasShell = true
    if (program === 'echo' || program === 'printf') this.#fed.push(words.slice(1).join(' '))
    for (const redirect of command.redirects) {
      if (redirect.type !== 'Redirect') this.#fed.push(codeOf(redirect))
    }
  }

  #add(words: readonly string[], source: string, depth: number, standing: Standing): void {
    const form = requiredForm(words)
    this.commands.push({
      words,
      source,
      standing,
      hazards: commandHazards(words),
      ...(form === undefined ? {} : { form }),
    })
    if (depth >= maxDepth) {
      this.hasErrors = true
      return
    }
    if (standing === 'perhaps') return
    const inner = innerCommands(words)
    if (inner.isCut) this.hasErrors = true
    for (const command of inner.commands) {
      if (command.length > 0)
        this.#inner(command, depth + 1, inner.isCertain ? standing : 'perhaps')
    }
    for (const code of inner.scripts) this.#code(code, depth + 1)
  }

  #inner(words: readonly string[], depth: number, outer: Standing): void {
    this.#innerWords += words.length
    if (this.#innerWords > maxInnerWords) this.hasErrors = true
    else this.#add(words, words.join(' '), depth, outer === 'perhaps' ? outer : 'wrapped')
  }

  #code(code: string, depth: number): void {
    const script = depth > maxDepth ? undefined : parseScript(code)
    if (script !== undefined) this.script(script, code, depth, 'wrapped')
    if (script !== undefined && !script.errors?.length) return
    this.hasErrors = true
    this.commands.push(...roughCommands(code))
  }
}

function codeOf(redirect: HereDoc | HereString): string {
  return redirect.type === 'HereDoc' ? redirect.body.text : (redirect.target?.value ?? '')
}

function toRedirection(redirect: Redirect): Redirection {
  const target = redirect.target
  const use = redirect.operator === '<' || redirect.operator === '<&' ? 'read' : 'write'
  return { use, path: target === undefined ? undefined : target.value }
}
