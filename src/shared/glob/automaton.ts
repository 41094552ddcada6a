/** Pattern of an automaton. `any` is one character whose code point `accepts` takes. */
export type Piece =
  | { readonly kind: 'any'; readonly accepts: (code: number) => boolean }
  | { readonly kind: 'sequence'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'choice'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'repeat'; readonly piece: Piece; readonly min: 0 | 1; readonly many: boolean }

interface State {
  accepts: ((code: number) => boolean) | undefined
  /** Transitions on a character (`next`) and without one (`free`). */
  readonly next: number[]
  readonly epsilon: number[]
}

/** Set of simultaneous states, with cached transitions. */
interface StateSet {
  readonly states: readonly number[]
  readonly isEnd: boolean
  /** Cached transitions by code point: ASCII, and others. */
  readonly ascii: (StateSet | undefined)[]
  readonly after: Map<number, StateSet>
}

type StateSetOf = (roots: Iterable<number>) => StateSet

const maxStates = 20_000
const maxStateSets = 4_000

/**
 * Compiles a test of a whole text against `piece`. It never backtracks: all states advance together and each set of
 * states is computed once. Paths of one directory tend to follow each other, so the state after the directory is
 * cached. Throws RangeError over 20,000 states.
 */
export function compileAutomaton(piece: Piece): (text: string) => boolean {
  const states: State[] = []
  const start = addState(states)
  const end = build(states, piece, start)
  let stateSets = new Map<string, StateSet>()
  const momentOf: StateSetOf = (roots) => {
    const closed = epsilonClosure(states, roots)
    const key = closed.join()
    const known = stateSets.get(key)
    if (known !== undefined) return known
    if (stateSets.size >= maxStateSets) stateSets = new Map()
    const isEnd = closed.includes(end)
    const moment = { states: closed, isEnd, ascii: [], after: new Map() }
    stateSets.set(key, moment)
    return moment
  }
  const first = momentOf([start])
  let parent = { path: '', moment: first }
  return (text) => {
    const length = text.lastIndexOf('/') + 1
    if (length !== parent.path.length || !text.startsWith(parent.path)) {
      const path = text.slice(0, length)
      parent = { path, moment: follow(states, first, path, 0, momentOf) }
    }
    return follow(states, parent.moment, text, length, momentOf).isEnd
  }
}

/** Returns the state set after `text` from index `from`, starting at `moment`. */
function follow(
  states: readonly State[],
  moment: StateSet,
  text: string,
  from: number,
  momentOf: StateSetOf,
): StateSet {
  let at = moment
  for (let index = from; index < text.length && at.states.length > 0; index += 1) {
    const unit = text.charCodeAt(index)
    const known = unit < 128 ? at.ascii[unit] : undefined
    if (known === undefined) {
      const code = text.codePointAt(index) ?? unit
      if (code > 0xffff) index += 1
      at = advance(states, at, code, momentOf)
    } else at = known
  }
  return at
}

function advance(
  states: readonly State[],
  moment: StateSet,
  code: number,
  momentOf: StateSetOf,
): StateSet {
  const known = moment.after.get(code)
  if (known !== undefined) return known
  const roots = moment.states.flatMap((index) => {
    const state = states[index]
    return state?.accepts?.(code) === true ? state.next : []
  })
  const next = momentOf(roots)
  if (code < 128) moment.ascii[code] = next
  // Bounds the cache: paths hold few different characters, but one with all of Unicode must not fill the memory.
  else if (moment.after.size < 512) moment.after.set(code, next)
  return next
}

function epsilonClosure(states: readonly State[], roots: Iterable<number>): number[] {
  const seen = new Set<number>()
  const open = [...roots]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen.has(index)) continue
    seen.add(index)
    open.push(...(states[index]?.epsilon ?? []))
  }
  return [...seen].sort((a, b) => a - b)
}

function addState(states: State[]): number {
  if (states.length >= maxStates) throw new RangeError('the pattern is too large')
  states.push({ accepts: undefined, next: [], epsilon: [] })
  return states.length - 1
}

/** Adds the states of `piece` after `from`; returns its final state. */
function build(states: State[], piece: Piece, from: number): number {
  if (piece.kind === 'sequence') {
    return piece.pieces.reduce((at, part) => build(states, part, at), from)
  }
  const to = addState(states)
  if (piece.kind === 'any') {
    const state = addState(states)
    join(states, from, state)
    const added = states[state]
    if (added !== undefined) added.accepts = piece.accepts
    added?.next.push(to)
  } else if (piece.kind === 'choice') {
    for (const part of piece.pieces) {
      const begin = addState(states)
      join(states, from, begin)
      join(states, build(states, part, begin), to)
    }
  } else {
    const begin = addState(states)
    join(states, from, begin)
    const over = build(states, piece.piece, begin)
    join(states, over, to)
    if (piece.many) join(states, over, begin)
    if (piece.min === 0) join(states, from, to)
  }
  return to
}

function join(states: readonly State[], from: number, to: number): void {
  states[from]?.epsilon.push(to)
}
