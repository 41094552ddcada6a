import {
  createScanner,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'
import type { Action } from '../../../domain/verdict.ts'
import { escapeWildcard } from '../../../util/wildcard-match.ts'
import { escapePathGlob, pathPatternProblem } from '../match/path-glob.ts'
import { grantOffsets } from './grant-comment.ts'
import { createRule, type Rule, type RuleProblem, type WorkerRules } from './rule.ts'
import { takesPaths } from './takes-paths.ts'
import { toToolName } from './tool-name.ts'

const maxTextCharacters = 1_000_000
const maxRules = 5_000

/**
 * GATE-04: a worker's `permissions.jsonc`. Every line that cannot be understood is reported, and then no rule of the
 * file counts (GATE-09). `~/` and `$HOME/` become `home`, the home directory that tools see.
 */
export function parsePermissions(text: string, options: { readonly home: string }): WorkerRules {
  if (text.length > maxTextCharacters) return damaged([{ line: 0, message: 'it is too large' }])
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, disallowComments: false })
  const lines = new LineCounter(text)
  if (errors.length > 0 || root === undefined) return damaged(syntaxProblems(text, errors, lines))
  const reader = new PermissionsReader(text, options.home, lines)
  reader.readTools(root)
  if (reader.problems.length > 0) return damaged(reader.problems)
  return { kind: 'rules', rules: reader.rules }
}

function damaged(problems: readonly RuleProblem[]): WorkerRules {
  return { kind: 'damaged', problems }
}

function syntaxProblems(
  text: string,
  errors: readonly ParseError[],
  lines: LineCounter,
): RuleProblem[] {
  if (errors.length === 0 || text.trim() === '') return [{ line: 1, message: 'the file is empty' }]
  return errors.map(({ error, offset }) => ({
    line: lines.at(offset),
    message: `not valid JSON with comments: ${printParseErrorCode(error)}`,
  }))
}

class LineCounter {
  readonly #text: string
  constructor(text: string) {
    this.#text = text
  }
  at(offset: number): number {
    return this.#text.slice(0, offset).split('\n').length
  }
}

class PermissionsReader {
  readonly rules: Rule[] = []
  readonly problems: RuleProblem[] = []
  readonly #home: string
  readonly #lines: LineCounter
  readonly #grants: ReadonlySet<number>

  constructor(text: string, home: string, lines: LineCounter) {
    this.#home = home
    this.#lines = lines
    this.#grants = grantOffsets(createScanner(text, false), text)
  }

  readTools(root: Node): void {
    if (root.type !== 'object') {
      this.#report(root, 'it must be an object of tools')
      return
    }
    for (const property of root.children ?? []) {
      const [name, value] = property.children ?? []
      if (name === undefined || value === undefined) this.#report(property, 'a rule has no value')
      else this.#readTool(String(name.value), name, value)
    }
    if (this.rules.length > maxRules) this.#report(root, `it holds more than ${maxRules} rules`)
  }

  #readTool(tool: string, name: Node, value: Node): void {
    if (tool === '') {
      this.#report(name, 'a tool needs a name')
    } else if (value.type === 'object') {
      for (const property of value.children ?? []) this.#readPattern(tool, property)
    } else {
      this.#add(tool, '*', name, value)
    }
  }

  #readPattern(tool: string, property: Node): void {
    const [pattern, value] = property.children ?? []
    if (pattern === undefined || value === undefined) {
      this.#report(property, 'a rule has no value')
      return
    }
    const home = takesPaths(toToolName(tool))
      ? escapePathGlob(this.#home)
      : escapeWildcard(this.#home)
    this.#add(tool, expandHome(String(pattern.value), home), pattern, value)
  }

  #add(tool: string, pattern: string, name: Node, value: Node): void {
    const action = toAction(value)
    if (action === undefined) {
      const shown = JSON.stringify(value.value) ?? value.type
      this.#report(value, `${shown} is not an action: write "allow", "ask" or "deny"`)
      return
    }
    const problem = patternProblem(tool, pattern)
    if (problem !== undefined) {
      this.#report(name, problem)
      return
    }
    const grant = action === 'allow' && this.#grants.has(name.offset)
    this.rules.push(createRule({ layer: 'worker', tool, pattern, action, grant }))
  }

  #report(node: Node, message: string): void {
    this.problems.push({ line: this.#lines.at(node.offset), message })
  }
}

function toAction(value: Node): Action | undefined {
  const text: unknown = value.value
  return text === 'allow' || text === 'ask' || text === 'deny' ? text : undefined
}

/** Why a pattern for a tool is refused. */
export function patternProblem(tool: string, pattern: string): string | undefined {
  if (pattern === '') return 'a pattern may not be empty'
  return takesPaths(toToolName(tool)) ? pathPatternProblem(pattern) : undefined
}

function expandHome(pattern: string, home: string): string {
  if (pattern === '~' || pattern === '$HOME') return home
  for (const start of ['~/', '$HOME/']) {
    if (pattern.startsWith(start)) return `${home}/${pattern.slice(start.length)}`
  }
  return pattern
}
