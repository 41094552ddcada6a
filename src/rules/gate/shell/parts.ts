import {
  type AndOr,
  type CommandNode,
  forEachChild,
  type ParsedScript,
  type PipelineNode,
  type Statement,
  type SyntaxNode,
} from 'unbash'
import type { Part } from './analysis.ts'

const maxNodes = 20_000
const maxDepth = 50

/**
 * The order in which the parts of a script run: lists, groups and conditions sequentially; the parts of a pipe or a loop
 * together. Empty for a script that is too large or defines a function, which runs elsewhere.
 */
export function partsOf(script: ParsedScript): ReadonlyMap<SyntaxNode, Part> {
  const walk = new PartWalk()
  walk.list(script.commands, 0)
  return walk.isLost ? new Map() : walk.parts
}

class PartWalk {
  readonly parts = new Map<SyntaxNode, Part>()
  isLost = false
  #index = 0
  #nodes = 0

  list(statements: readonly Statement[], depth: number): void {
    for (const { command, background } of statements) {
      if (background === true) this.isLost = true
      this.#node(command, depth)
    }
  }

  #node(node: CommandNode | PipelineNode | AndOr, depth: number): void {
    if (this.isLost || depth > maxDepth) this.isLost = true
    else if (node.type === 'AndOr') for (const part of node.commands) this.#node(part, depth + 1)
    else if (node.type === 'Pipeline' && node.commands.length === 1 && node.commands[0])
      this.#node(node.commands[0], depth + 1)
    else if (node.type === 'Redirected') {
      for (const redirect of node.redirects) this.#part(redirect, false)
      this.#node(node.command, depth + 1)
    } else if (node.type === 'Subshell' || node.type === 'BraceGroup')
      this.list(node.body.commands, depth + 1)
    else if (node.type === 'If') {
      const branches = [node, ...node.elif]
      for (const { clause, then } of branches)
        for (const list of [clause, then]) this.list(list.commands, depth + 1)
      if (node.else !== undefined) this.list(node.else.commands, depth + 1)
    } else this.#part(node, /^(?:For|While|Select)$/.test(node.type))
  }

  /** Everything in a node runs together. */
  #part(root: SyntaxNode, isLooped: boolean): void {
    this.#index += 1
    const part = { index: this.#index, isLooped }
    const stack: SyntaxNode[] = [root]
    for (let node = stack.pop(); node !== undefined; node = stack.pop()) {
      this.#nodes += 1
      if (this.#nodes > maxNodes || node.type === 'Function' || node.type === 'Coproc')
        this.isLost = true
      if (this.isLost) return
      if (/^(?:For|While|Select)$/.test(node.type)) part.isLooped = true
      if (/^(?:Command|Redirect|TestCommand)$/.test(node.type)) this.parts.set(node, part)
      forEachChild(node, (child) => stack.push(child))
    }
  }
}
