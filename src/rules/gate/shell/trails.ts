import {
  type AndOr,
  type Command,
  type CommandNode,
  forEachChild,
  type If,
  type ParsedScript,
  type Pipeline,
  type PipelineNode,
  type Statement,
  type SyntaxNode,
} from 'unbash'
import { cdTarget, isMove, movesDirectories } from './cd-target.ts'
import { commandWords } from './words/command-words.ts'

/** The targets of a sequence of `cd`, in order. */
export type CdSequence = readonly string[]

/** The sequences of `cd` that may have run before a command or a redirection. */
export type CdSequences = ReadonlyMap<SyntaxNode, readonly CdSequence[]>

/** The possible directories after success and after failure. */
interface DirectoriesAfter {
  readonly ok: readonly CdSequence[]
  readonly failed: readonly CdSequence[]
}

const maxTrails = 16
const maxNodes = 20_000
const maxDepth = 50

/**
 * SHELL-07: follows `cd` through lists, `&&`, `||`, `if`, braces and subshells: after `cd a &&` the shell is in `a`, after `cd
 * a;` it may be where it was. Undefined if it cannot be followed (loops and substitutions with `cd`, `cd -`, `popd`, functions):
 * then every `cd` target is possible everywhere.
 */
export function followCds(script: ParsedScript): CdSequences | undefined {
  const walk = new CdWalk()
  walk.list(script.commands, [[]], 0)
  return walk.isLost ? undefined : walk.trails
}

class CdWalk {
  readonly trails = new Map<SyntaxNode, readonly CdSequence[]>()
  isLost = false
  #nodes = 0

  list(
    statements: readonly Statement[],
    from: readonly CdSequence[],
    depth: number,
  ): DirectoriesAfter {
    let after = staying(from)
    for (const { command, background } of statements) {
      const start = this.#union(after.ok, after.failed)
      const own = this.#andOr(command, start, depth)
      after = background === true ? staying(start) : own
    }
    return after
  }

  /** `&&` and `||` have equal precedence, left to right; a part that is not run leaves the directory unchanged. */
  #andOr(node: PipelineNode | AndOr, from: readonly CdSequence[], depth: number): DirectoriesAfter {
    if (node.type !== 'AndOr') return this.#pipeline(node, from, depth)
    const [first, ...rest] = node.commands
    let after = first === undefined ? staying(from) : this.#pipeline(first, from, depth)
    for (const [index, part] of rest.entries()) {
      const isAnd = node.operators[index] === '&&'
      const own = this.#pipeline(part, isAnd ? after.ok : after.failed, depth)
      after = isAnd
        ? { ok: own.ok, failed: this.#union(after.failed, own.failed) }
        : { ok: this.#union(after.ok, own.ok), failed: own.failed }
    }
    return after
  }

  #pipeline(node: PipelineNode, from: readonly CdSequence[], depth: number): DirectoriesAfter {
    if (node.type !== 'Pipeline') return this.#command(node, from, depth)
    const [only] = node.commands
    if (node.commands.length === 1 && only !== undefined) {
      const { ok, failed } = this.#command(only, from, depth)
      return staying(this.#union(ok, failed))
    }
    return this.#subshells(node, from, depth)
  }

  /** Each part of a pipe runs in its own subshell. */
  #subshells(node: Pipeline, from: readonly CdSequence[], depth: number): DirectoriesAfter {
    for (const command of node.commands) this.#command(command, from, depth)
    return staying(from)
  }

  #command(node: CommandNode, from: readonly CdSequence[], depth: number): DirectoriesAfter {
    if (depth > maxDepth || this.isLost) return this.#lost(from)
    if (node.type === 'Command') return this.#simple(node, from)
    if (node.type === 'Redirected') {
      for (const redirect of node.redirects) this.#mark(redirect, from)
      return this.#command(node.command, from, depth + 1)
    }
    if (node.type === 'BraceGroup') return this.list(node.body.commands, from, depth + 1)
    if (node.type === 'If') return this.#if(node, from, depth + 1)
    if (node.type === 'Subshell') {
      this.list(node.body.commands, from, depth + 1)
      return staying(from)
    }
    if (!/^(?:While|For|Case|TestCommand)$/.test(node.type)) return this.#lost(from)
    this.#mark(node, from)
    return staying(from)
  }

  #simple(command: Command, from: readonly CdSequence[]): DirectoriesAfter {
    this.#mark(command, from, command)
    const words = commandWords(command)
    if (movesDirectories(words)) return this.#lost(from)
    if (!isMove(words)) return staying(from)
    const target = cdTarget(words)
    if (target === undefined) return this.#lost(from)
    return { ok: from.map((trail) => [...trail, target]), failed: from }
  }

  #if(node: If, from: readonly CdSequence[], depth: number): DirectoriesAfter {
    let { ok, failed } = this.list(node.clause.commands, from, depth)
    const ends = [this.list(node.then.commands, ok, depth)]
    for (const branch of node.elif) {
      ;({ ok, failed } = this.list(branch.clause.commands, failed, depth))
      ends.push(this.list(branch.then.commands, ok, depth))
    }
    if (node.else === undefined) ends.push(staying(failed))
    else ends.push(this.list(node.else.commands, failed, depth))
    return staying(this.#union(...ends.flatMap((end) => [end.ok, end.failed])))
  }

  /** Everything in a node runs in its directory; `cd` inside, except by `self`, cannot be followed. */
  #mark(node: SyntaxNode, from: readonly CdSequence[], self?: Command): void {
    const stack: SyntaxNode[] = [node]
    for (let next = stack.pop(); next !== undefined; next = stack.pop()) {
      this.#nodes += 1
      if (this.#nodes > maxNodes) this.isLost = true
      if (this.isLost) return
      if (next.type === 'Function' || next.type === 'Coproc') this.isLost = true
      if (/^(?:Command|Redirect|TestCommand)$/.test(next.type)) this.trails.set(next, from)
      if (next.type === 'Command' && next !== self && isMove([next.name?.value ?? '']))
        this.isLost = true
      forEachChild(next, (child) => stack.push(child))
    }
  }

  #lost(from: readonly CdSequence[]): DirectoriesAfter {
    this.isLost = true
    return staying(from)
  }

  #union(...sets: readonly (readonly CdSequence[])[]): readonly CdSequence[] {
    const all = new Map(sets.flat().map((trail) => [JSON.stringify(trail), trail]))
    if (all.size > maxTrails) this.isLost = true
    return [...all.values()]
  }
}

function staying(trails: readonly CdSequence[]): DirectoriesAfter {
  return { ok: trails, failed: trails }
}
