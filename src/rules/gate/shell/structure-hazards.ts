import type {
  AndOr,
  Case,
  CommandExpansionPart,
  CommandNode,
  CompoundList,
  For,
  If,
  ParsedScript,
  Pipeline,
  PipelineNode,
  Statement,
  TestCommand,
  While,
} from 'unbash'
import { inputOf, pipeOutputOf, SimpleCheck } from './check-simple.ts'
import type { Input } from './programs/input-hazard.ts'
import { walkTest } from './test-command.ts'
import { knownOutput } from './variables/known-outputs.ts'
import { isOwnName } from './variables/own-name.ts'
import { Doubts } from './words/doubts.ts'
import { hereTextOf } from './words/here-text.ts'
import type { Lexed, Token } from './words/lex.ts'
import { TokenCursor } from './words/token-cursor.ts'
import { toWords } from './words/word-hazards.ts'

/**
 * SHELL-03 in its strict form: the reasons why a script is more than commands whose text shows everything. Only listed constructs
 * are accepted: lists and pipelines, `( )`, `{ }`, `if`, `case`, `while`, `until`, `for … in`, of literal words, with redirections by
 * name, and expansions where they are only shown. Any other node is a hazard. Each token of our own lexer must be where the tree
 * has it: a disagreement between parser and lexer asks.
 */
export function structureHazards(script: ParsedScript, lexed: Lexed | undefined): Doubts {
  const doubts = new Doubts()
  const visited = new Set<number>()
  new Walk(lexed?.tokens ?? [], { doubts, lexed, visited }).script(script.commands)
  doubts.agree(lexed !== undefined && visited.size === lexed.inner.size + lexed.texts.size)
  return doubts
}

interface Shared {
  readonly doubts: Doubts
  readonly lexed: Lexed | undefined
  /** The substitutions found in the tree. */
  readonly visited: Set<number>
}

/** Walks the tree and the tokens in parallel. */
class Walk {
  readonly #cursor: TokenCursor
  readonly #doubts: Doubts
  readonly #simple: SimpleCheck
  readonly #shared: Shared
  /** Input from a surrounding pipe or redirection. */
  #input: Input | undefined
  #isLooped = false

  constructor(tokens: readonly Token[], shared: Shared) {
    this.#cursor = new TokenCursor(tokens)
    this.#doubts = shared.doubts
    const visit = (part: CommandExpansionPart): void => this.#substitution(part)
    this.#simple = new SimpleCheck(this.#cursor, shared.doubts, visit, shared.lexed?.documents)
    this.#shared = shared
  }

  script(statements: readonly Statement[]): void {
    this.#list(statements)
    this.#doubts.agree(this.#cursor.isAtEnd)
  }

  #list(statements: readonly Statement[]): void {
    this.#cursor.skip()
    for (const [index, { command, background }] of statements.entries()) {
      if (index > 0) this.#doubts.agree(this.#cursor.skip() > 0)
      if (background === true)
        this.#doubts.hazard('it leaves something running in the background', {
          kind: 'keeps_running',
        })
      this.#andOr(command)
    }
    this.#cursor.skip()
  }

  #keyword(text: string, pos?: number): void {
    this.#doubts.agree(this.#cursor.takes('word', text, pos))
  }

  #operator(text: string, pos?: number): void {
    this.#doubts.agree(this.#cursor.takes('operator', text, pos))
  }

  #andOr(node: PipelineNode | AndOr): void {
    if (node.type !== 'AndOr') {
      this.#pipeline(node)
      return
    }
    for (const [index, part] of node.commands.entries()) {
      if (index > 0) this.#joint(node.operators[index - 1])
      this.#pipeline(part)
    }
  }

  #joint(operator = ''): void {
    this.#operator(operator)
    this.#cursor.skip(/^\n$/)
  }

  #pipeline(node: PipelineNode): void {
    if (node.type !== 'Pipeline') {
      this.#command(node)
      return
    }
    for (const { type, pos, end } of node.prefixes) {
      const isTime = type === 'Time'
      const hasOption = isTime && end - pos > 'time'.length
      this.#keyword(isTime ? 'time' : '!', pos)
      if (hasOption) this.#keyword('-p')
    }
    this.#pipe(node)
  }

  #pipe(node: Pipeline): void {
    const outer = this.#input
    let given: Input | undefined
    for (const [index, command] of node.commands.entries()) {
      if (index > 0) this.#joint(node.operators[index - 1])
      if (index > 0) this.#input = given
      if (outer === 'text') this.#input = 'text'
      // Other errors appear in words that are not listed.
      const isTold = node.operators.slice(0, index).includes('|&')
      this.#command(command, outer || isTold ? [] : node.commands.slice(0, index))
      const own = pipeOutputOf(command, given)
      given = own !== 'text' && node.operators[index] === '|&' ? 'stream' : own
    }
    this.#input = outer
  }

  #command(node: CommandNode, before: readonly CommandNode[] = []): void {
    if (node.type === 'Command')
      this.#simple.command(node, { input: this.#input, isLooped: this.#isLooped, before })
    else if (node.type === 'Redirected') {
      const outer = this.#input
      this.#input = inputOf(node.redirects) ?? outer
      this.#command(node.command)
      this.#input = outer
      for (const redirection of node.redirects) this.#simple.redirection(redirection)
    } else if (node.type === 'Subshell') {
      this.#operator('(', node.pos)
      this.#body(node.body)
      this.#operator(')', node.end - 1)
    } else if (node.type === 'BraceGroup') {
      this.#keyword('{', node.pos)
      this.#body(node.body)
      this.#keyword('}', node.end - 1)
    } else if (node.type === 'If') this.#if(node)
    else if (node.type === 'While') this.#while(node)
    else if (node.type === 'For') this.#for(node)
    else if (node.type === 'Case') this.#case(node)
    else if (node.type === 'TestCommand') this.#test(node)
    else this.#doubts.hazard(`it is more than a list of commands (${toWords(node.type)})`)
  }

  #body(list: CompoundList): void {
    this.#list(list.commands)
  }

  #if(node: If): void {
    this.#keyword('if', node.pos)
    this.#body(node.clause)
    this.#keyword('then')
    this.#body(node.then)
    for (const branch of node.elif) {
      this.#keyword('elif', branch.pos)
      this.#body(branch.clause)
      this.#keyword('then')
      this.#body(branch.then)
    }
    if (node.else !== undefined) {
      this.#keyword('else')
      this.#body(node.else)
    }
    this.#keyword('fi', node.end - 'fi'.length)
  }

  #case(node: Case): void {
    this.#keyword('case', node.pos)
    // Its value is only compared.
    this.#simple.word(node.word, 'text')
    this.#cursor.skip(/^\n$/)
    this.#keyword('in')
    for (const { pattern, body, terminator, pos } of node.items) {
      this.#cursor.skip(/^\n$/)
      if (this.#cursor.isAt('(')) this.#operator('(', pos)
      for (const [index, word] of pattern.entries()) {
        if (index > 0) this.#operator('|')
        this.#simple.casePattern(word)
      }
      this.#operator(')')
      this.#body(body)
      if (terminator !== undefined) this.#operator(terminator)
    }
    this.#cursor.skip(/^\n$/)
    this.#keyword('esac', node.end - 'esac'.length)
  }

  #while(node: While): void {
    this.#keyword(node.kind, node.pos)
    this.#looped(node.clause)
    this.#do(node.body, node.end)
  }

  #do(body: CompoundList, end: number): void {
    this.#keyword('do')
    this.#looped(body)
    this.#keyword('done', end - 'done'.length)
  }

  #looped(list: CompoundList): void {
    const wasLooped = this.#isLooped
    this.#isLooped = true
    this.#body(list)
    this.#isLooped = wasLooped
  }

  #test(node: TestCommand): void {
    walkTest(node, {
      cursor: this.#cursor,
      agree: (agrees) => this.#doubts.agree(agrees),
      hazard: (reason) => this.#doubts.hazard(reason),
      word: (word) => this.#simple.word(word, 'text'),
    })
  }

  #for(node: For): void {
    if (!isOwnName(node.name.text)) this.#doubts.hazard(`for sets ${node.name.text}`)
    this.#keyword('for', node.pos)
    this.#doubts.agree(this.#cursor.takesWord(node.name))
    this.#cursor.skip(/^\n$/)
    if (node.wordlist === undefined) this.#doubts.hazard('for takes words from elsewhere')
    this.#keyword('in')
    // The values reach only the variable, which only programs that show it may use.
    for (const word of node.wordlist ?? [])
      if (/^\{\d{1,5}\.\.\d{1,5}\}$/.test(word.text))
        this.#doubts.agree(this.#cursor.takesWord(word))
      else this.#simple.word(word, knownOutput(word) === undefined ? 'text' : 'opened')
    this.#doubts.agree(this.#cursor.skip() > 0)
    this.#do(node.body, node.end)
  }

  #substitution(part: CommandExpansionPart): void {
    this.#shared.visited.add(part.pos)
    const text = hereTextOf(part)
    if (text !== undefined) {
      const own = this.#shared.lexed?.texts.get(part.pos)
      this.#doubts.agree(own?.value === text && own.end === part.end)
      return
    }
    const tokens = this.#shared.lexed?.inner.get(part.pos)
    if (tokens === undefined || part.script === undefined) this.#doubts.agree(false)
    const inner = new Walk(tokens ?? [], this.#shared)
    inner.#input = this.#input
    inner.#isLooped = this.#isLooped
    inner.script(part.script?.commands ?? [])
  }
}
