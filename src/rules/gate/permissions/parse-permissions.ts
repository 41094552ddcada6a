import { createScanner, type Node, type ParseError, printParseErrorCode } from 'jsonc-parser'
import { maxRulesCharacters } from '../../../domain/rules-text.ts'
import type { Action } from '../../../domain/verdict.ts'
import { escapePathGlob, pathPatternProblem } from '../../../shared/glob/path-glob.ts'
import { shorten } from '../../../util/text/shorten.ts'
import { escapeWildcard } from '../../../util/text/wildcard-match.ts'
import { isMcpName } from '../../tools/mcp-names.ts'
import {
  findTool,
  mayTakePaths,
  nearestTools,
  takesPaths,
  toToolName,
} from '../../tools/registry.ts'
import { argumentPatternProblem } from '../arguments/argument-pattern.ts'
import { type GrantComment, grantOffsets, parseRulesTree, withoutMark } from './add-grants.ts'
import { LineCounter, type RulePlace, readExamples } from './example-comments.ts'
import { createRule, type Rule, type RuleProblem, type WorkerRules } from './rule.ts'

/** Named in the default rules, even if this installation does not have them (GATE-05). */
const reserved: ReadonlySet<string> = new Set(['skill', 'memory_search'])

const maxRules = 5_000
const maxProblems = 100
const maxShown = 100

/**
 * GATE-04: parses a worker's `permissions.jsonc`. Every invalid line is reported, at most a hundred, and then no rule of the file
 * applies (GATE-09). `~/` and `$HOME/` become `home`, the home directory that tools see. Examples are parsed but not run:
 * `readPermissions` does both. Never throws.
 */
export function parsePermissions(text: string, options: { readonly home: string }): WorkerRules {
  if (text.length > maxRulesCharacters) return damaged([{ line: 0, message: 'it is too large' }])
  const plain = withoutMark(text)
  const { root, errors } = parseRulesTree(plain)
  const lines = new LineCounter(plain)
  if (errors.length > 0 || root === undefined) return damaged(syntaxProblems(plain, errors, lines))
  const reader = new PermissionsReader(plain, options.home, lines)
  reader.readTools(root)
  if (reader.problems.length > 0) return damaged(reader.problems)
  const { rules, notes } = reader
  const { examples, lost } = readExamples(plain, reader.places, lines)
  return {
    kind: 'rules',
    rules,
    ...(examples.length === 0 ? {} : { examples }),
    ...(lost.length === 0 ? {} : { failed: lost }),
    ...(notes.length === 0 ? {} : { notes }),
  }
}

function damaged(problems: readonly RuleProblem[]): WorkerRules {
  const listed = problems.slice(0, maxProblems)
  const more = problems.length - listed.length
  const rest = { line: 0, message: `and ${more} more lines are wrong` }
  return { kind: 'damaged', problems: more === 0 ? listed : [...listed, rest] }
}

function syntaxProblems(
  text: string,
  errors: readonly ParseError[],
  lines: LineCounter,
): RuleProblem[] {
  if (text.trim() === '') return [{ line: 1, message: 'the file is empty' }]
  if (errors.length === 0) return [{ line: 1, message: 'not valid JSON with comments' }]
  return errors.map(({ error, offset }) => ({
    line: lines.at(offset),
    message: `not valid JSON with comments: ${printParseErrorCode(error)}`,
  }))
}

class PermissionsReader {
  readonly rules: Rule[] = []
  readonly problems: RuleProblem[] = []
  readonly notes: RuleProblem[] = []
  readonly places: RulePlace[] = []
  readonly #home: string
  readonly #lines: LineCounter
  readonly #grants: ReadonlyMap<number, GrantComment>
  readonly #seen = new Map<string, number>()
  readonly #tools = new Set<string>()

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
      if (this.rules.length > maxRules) {
        this.#report(property, `it holds more than ${maxRules} rules`)
        return
      }
    }
  }

  #readTool(tool: string, name: Node, value: Node): void {
    if (tool === '') {
      this.#report(name, 'a tool needs a name')
    } else if (tool.includes(unreadable)) {
      this.#report(name, notUtf8)
    } else if (value.type === 'object') {
      this.#noteTool(name, tool)
      this.places.push({ name, value, tool })
      const first = this.places.length
      for (const property of value.children ?? []) {
        this.#readPattern(tool, property)
        if (this.rules.length > maxRules) return
      }
      this.#noteHidden(this.places.slice(first))
    } else {
      this.#noteTool(name, tool)
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
      const shown = shorten(JSON.stringify(value.value) ?? value.type, maxShown)
      this.#report(value, `${shown} is not an action: write "allow", "ask" or "deny"`)
      return
    }
    const problem = pattern.includes(unreadable) ? notUtf8 : patternProblem(tool, pattern)
    if (problem !== undefined) {
      this.#report(name, problem)
      return
    }
    const comment = action === 'allow' ? this.#grants.get(name.offset) : undefined
    const grant = comment !== undefined
    const beats = comment?.beats
    const rule = createRule({ layer: 'worker', tool, pattern, action, grant, beats })
    this.rules.push(rule)
    this.places.push({ name, value, tool, rule })
    if (!grant) this.#noteTwice(name, rule)
  }

  /** Notes a repeated rule: the later one decides, although the earlier one may be meant. */
  #noteTwice(name: Node, { tool, pattern }: Rule): void {
    const key = JSON.stringify([tool, pattern])
    const before = this.#seen.get(key)
    const line = this.#lines.at(name.offset)
    this.#seen.set(key, line)
    if (before === undefined) return
    const shown = shorten(JSON.stringify(pattern), maxShown)
    this.#note(name, `${shown} stands for ${tool} in line ${before} already; the last one counts`)
  }

  /** Notes the first rule of a tool that a later `*` takes back: it may be meant as what holds for the rest. */
  #noteHidden(places: readonly RulePlace[]): void {
    const own = places.filter(({ rule }) => rule?.grant === false)
    const last = own.findLast(({ rule }) => rule?.matchesAll)
    if (last === undefined) return
    const hidden = own
      .slice(0, own.indexOf(last))
      .find(({ rule }) => rule?.matchesAll === false && rule.action !== last.rule?.action)
    if (hidden === undefined) return
    const shown = shorten(JSON.stringify(hidden.rule?.pattern), maxShown)
    const line = this.#lines.at(last.name.offset)
    this.#note(hidden.name, `"*" in line ${line} comes after ${shown} and wins: put "*" first`)
  }

  /** Similar names are looked up once per name, up to the limit of notes. */
  #noteTool(name: Node, tool: string): void {
    if (this.#tools.has(tool) || this.notes.length >= maxProblems) return
    this.#tools.add(tool)
    this.#note(name, toolNote(tool))
  }

  #note(node: Node, message: string | undefined): void {
    if (message === undefined || this.notes.length >= maxProblems) return
    this.notes.push({ line: this.#lines.at(node.offset), message })
  }

  #report(node: Node, message: string): void {
    this.problems.push({ line: this.#lines.at(node.offset), message })
  }
}

/** The replacement for bytes that are not UTF-8: a pattern with it does not match as intended. */
const unreadable = '\uFFFD'
const notUtf8 = 'it holds characters that are not UTF-8: save the file as UTF-8'

function toAction(value: Node): Action | undefined {
  const text: unknown = value.value
  return text === 'allow' || text === 'ask' || text === 'deny' ? text : undefined
}

/** Describes why a pattern for a tool is invalid. */
export function patternProblem(tool: string, pattern: string): string | undefined {
  if (pattern === '') return 'a pattern may not be empty'
  if (isMcpName(tool)) return argumentPatternProblem(pattern)
  const problem = mayTakePaths(tool) ? pathPatternProblem(pattern) : undefined
  if (problem === undefined || takesPaths(toToolName(tool))) return problem
  return `rules for ${JSON.stringify(tool)} are matched against paths too: ${problem}`
}

function expandHome(pattern: string, home: string): string {
  if (pattern === '~' || pattern === '$HOME') return home
  for (const start of ['~/', '$HOME/']) {
    if (pattern.startsWith(start)) return `${home}/${pattern.slice(start.length)}`
  }
  return pattern
}

/** The note for a rule whose tool does not exist here; a wildcard may be meant for later tools. */
function toolNote(tool: string): string | undefined {
  const name = toToolName(tool)
  if (/[*?]/.test(name) || isMcpName(name) || reserved.has(name)) return undefined
  if (findTool(name) !== undefined) return undefined
  const [nearest] = nearestTools(name)
  const hint = nearest === undefined ? '' : `; the nearest is ${nearest}`
  return `there is no tool ${JSON.stringify(tool.slice(0, 64))}${hint}`
}
