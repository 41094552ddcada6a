import { type GlobNode, parseGlob } from './glob-syntax.ts'

/** A compiled path pattern. */
export type PathGlob = (path: string) => boolean

const maxPatternCharacters = 256
const maxStarsInSegment = 3
const maxSpan = 100

/**
 * GATE-08: whether a path matches a glob as picomatch reads it with `dot` and `bash`: a star crosses `/`, `**` and a slash may
 * stand for nothing. A pattern without wildcard also covers what lies below it. Never throws; work is value × pattern
 * at most, for which picomatch's regular expressions give no bound.
 */
export function matchesPathGlob(pattern: string, path: string): boolean {
  return toPathGlob(pattern)(path)
}

export function toPathGlob(pattern: string): PathGlob {
  const text = pattern.endsWith('/') && pattern.length > 1 ? pattern.slice(0, -1) : pattern
  if (text.endsWith('/**') && text.length > 3) {
    const top = text.slice(0, -3)
    if (isLiteralGlob(top)) return toPathGlob(top)
    if (!top.endsWith('*')) return eitherOf(toPathGlob(top), toPathGlob(text.slice(0, -1)))
  }
  const nodes = parseGlob(text)
  const literal = literalOf(nodes)
  if (literal !== undefined) {
    const below = literal === '/' ? '/' : `${literal}/`
    return (path) => path === literal || path.startsWith(below)
  }
  const simple = toSimple(nodes)
  if (simple !== undefined) return simple
  const machine = compile(nodes)
  return (path) => runs(machine, path)
}

function eitherOf(one: PathGlob, other: PathGlob): PathGlob {
  return (path) => one(path) || other(path)
}

/** Why a path pattern is refused when it is loaded; undefined: it is fine. */
export function pathPatternProblem(pattern: string): string | undefined {
  if (pattern === '') return 'a pattern may not be empty'
  if (pattern.length > maxPatternCharacters) {
    return `a path pattern may have at most ${maxPatternCharacters} characters`
  }
  if (pattern.startsWith('!')) return 'a pattern may not begin with "!": write a rule that denies'
  if (pattern.includes('!(')) return 'a pattern may not hold "!(": write a rule that denies'
  if (/\{\d{3,}\.\.|\.\.\d{3,}\}/.test(pattern)) return `a span may reach to ${maxSpan - 1} at most`
  const crowded = pattern.split('/').some((part) => starsIn(part) > maxStarsInSegment)
  return crowded ? `at most ${maxStarsInSegment} stars may stand between two slashes` : undefined
}

/** A path as a pattern that matches nothing but that path and what lies below it. */
export function escapePathGlob(path: string): string {
  return path.replaceAll(/[\\*?[\]{}!@+(),|]/g, '\\$&')
}

/** Whether the pattern holds no wildcard. */
export function isLiteralGlob(pattern: string): boolean {
  return literalOf(parseGlob(pattern)) !== undefined
}

function starsIn(segment: string): number {
  return segment.replaceAll(/\\./g, '').split('*').length - 1
}

function literalOf(nodes: readonly GlobNode[]): string | undefined {
  let text = ''
  for (const node of nodes) {
    if (node.kind !== 'character') return undefined
    text += String.fromCodePoint(node.code)
  }
  return text
}

/** Patterns of literal text and stars alone, nearly all there are, need no machine. */
function toSimple(nodes: readonly GlobNode[]): PathGlob | undefined {
  const pieces: string[] = ['']
  for (const node of nodes) {
    if (node.kind === 'any') pieces.push('')
    else if (node.kind === 'character') pieces.push(pieces.pop() + String.fromCodePoint(node.code))
    else return undefined
  }
  const [first = '', ...rest] = pieces
  const last = rest.pop() ?? ''
  return (path) => {
    if (path.length < first.length + last.length) return false
    if (!path.startsWith(first) || !path.endsWith(last)) return false
    let at = first.length
    const end = path.length - last.length
    for (const piece of rest) {
      const found = path.indexOf(piece, at)
      if (found === -1 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}

/** One state of the machine: takes a character that `accepts` allows, or moves on freely to `free`. */
interface State {
  accepts?: (code: number) => boolean
  next: number
  free: number[]
}

interface Machine {
  readonly states: readonly State[]
  readonly start: number
}

const slash = 47

/** Builds the states from the end to the start, so that every state knows what follows it. State 0 accepts. */
function compile(nodes: readonly GlobNode[]): Machine {
  const states: State[] = [{ next: 0, free: [] }]
  const start = addSequence(states, nodes, 0)
  return { states, start }
}

function addSequence(states: State[], nodes: readonly GlobNode[], after: number): number {
  return nodes.reduceRight((follow, node) => addNode(states, node, follow), after)
}

function addNode(states: State[], node: GlobNode, after: number): number {
  switch (node.kind) {
    case 'character':
      return add(states, { accepts: (code) => code === node.code, next: after, free: [] })
    case 'one':
      return add(states, { accepts: (code) => code !== slash, next: after, free: [] })
    case 'set':
      return add(states, {
        accepts: (code) =>
          code !== slash &&
          node.ranges.some(([from, to]) => code >= from && code <= to) !== node.negated,
        next: after,
        free: [],
      })
    case 'any':
      return addLoop(states, after)
    case 'directories': {
      const ends = add(states, { accepts: (code) => code === slash, next: after, free: [] })
      const loop = addLoop(states, ends)
      return add(states, { next: 0, free: [loop, after] })
    }
    case 'choice':
      return addChoice(states, node, after)
  }
}

function addLoop(states: State[], after: number): number {
  const self = states.length
  return add(states, { accepts: () => true, next: self, free: [after] })
}

function addChoice(
  states: State[],
  node: Extract<GlobNode, { kind: 'choice' }>,
  after: number,
): number {
  const joint = add(states, { next: 0, free: [after] })
  const fork = add(states, { next: 0, free: [] })
  const ways = node.options.map((option) => addSequence(states, option, joint))
  states[fork]?.free.push(...ways)
  if (node.repeat === 'many' || node.repeat === 'some') states[joint]?.free.push(fork)
  if (node.repeat === 'many' || node.repeat === 'optional') states[fork]?.free.push(after)
  return fork
}

function add(states: State[], state: State): number {
  states.push(state)
  return states.length - 1
}

/** Runs all states side by side, so that no input makes it go back. */
function runs(machine: Machine, path: string): boolean {
  let current = closure(machine, [machine.start])
  for (const character of path) {
    const code = character.codePointAt(0) ?? 0
    const next: number[] = []
    for (const index of current) {
      const state = machine.states[index]
      if (state?.accepts?.(code)) next.push(state.next)
    }
    if (next.length === 0) return false
    current = closure(machine, next)
  }
  return current.has(0)
}

function closure(machine: Machine, from: readonly number[]): ReadonlySet<number> {
  const seen = new Set(from)
  for (const index of seen) {
    for (const free of machine.states[index]?.free ?? []) seen.add(free)
  }
  return seen
}
