/** What a pattern is made of. `any` is one character that `accepts` takes, by its code point. */
export type Piece =
  | { readonly kind: 'any'; readonly accepts: (code: number) => boolean }
  | { readonly kind: 'sequence'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'choice'; readonly pieces: readonly Piece[] }
  | { readonly kind: 'repeat'; readonly piece: Piece; readonly min: 0 | 1; readonly many: boolean }

interface State {
  accepts: ((code: number) => boolean) | undefined
  /** Where a character leads, and where none is needed. */
  readonly next: number[]
  readonly free: number[]
}

/** One set of states, with what was learned of it. */
interface Moment {
  readonly states: readonly number[]
  readonly isEnd: boolean
  /** Where a character leads, by its code: those of ASCII, and others. */
  readonly ascii: (Moment | undefined)[]
  readonly after: Map<number, Moment>
}

type MomentOf = (roots: Iterable<number>) => Moment

const maxStates = 20_000
const maxMoments = 4_000

/**
 * A test of a whole text against `piece` that never goes back: states are advanced all at once, and each set of states
 * is computed once. Texts are paths, and those of one directory come one behind the other: where its path leads is kept.
 * Throws RangeError over 20,000 states.
 */
export function compileAutomaton(piece: Piece): (text: string) => boolean {
  const states: State[] = []
  const start = addState(states)
  const end = build(states, piece, start)
  let moments = new Map<string, Moment>()
  const momentOf: MomentOf = (roots) => {
    const closed = close(states, roots)
    const key = closed.join()
    const known = moments.get(key)
    if (known !== undefined) return known
    if (moments.size >= maxMoments) moments = new Map()
    const isEnd = closed.includes(end)
    const moment = { states: closed, isEnd, ascii: [], after: new Map() }
    moments.set(key, moment)
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

/** Where `text` leads from `moment`, beginning at its index `from`. */
function follow(
  states: readonly State[],
  moment: Moment,
  text: string,
  from: number,
  momentOf: MomentOf,
): Moment {
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
  moment: Moment,
  code: number,
  momentOf: MomentOf,
): Moment {
  const known = moment.after.get(code)
  if (known !== undefined) return known
  const roots = moment.states.flatMap((index) => {
    const state = states[index]
    return state?.accepts?.(code) === true ? state.next : []
  })
  const next = momentOf(roots)
  if (code < 128) moment.ascii[code] = next
  // Paths hold few different characters; one that holds all of Unicode must not fill the memory.
  else if (moment.after.size < 512) moment.after.set(code, next)
  return next
}

function close(states: readonly State[], roots: Iterable<number>): number[] {
  const seen = new Set<number>()
  const open = [...roots]
  for (let index = open.pop(); index !== undefined; index = open.pop()) {
    if (seen.has(index)) continue
    seen.add(index)
    open.push(...(states[index]?.free ?? []))
  }
  return [...seen].sort((a, b) => a - b)
}

function addState(states: State[]): number {
  if (states.length >= maxStates) throw new RangeError('the pattern is too large')
  states.push({ accepts: undefined, next: [], free: [] })
  return states.length - 1
}

/** Adds the states of `piece` behind `from`; answers the state in which it is over. */
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
  states[from]?.free.push(to)
}
