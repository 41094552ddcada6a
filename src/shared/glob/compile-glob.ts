import { fold } from '../fold.ts'
import { compileAutomaton, type Piece } from './automaton.ts'
import { type CharacterSet, type GlobNode, slash } from './glob-node.ts'

/**
 * Case sensitivity: `exact`, or `folded` for texts that `fold` produced. A folded negated set such as `[!A-Z]` takes
 * a character if any of its cases is outside (`folded widely`, for deny rules), or only if all are (`folded`).
 */
export type CaseMode = 'exact' | 'folded' | 'folded widely'

/** Compiles a test of whole texts. Work is linear in the text. */
export function compileGlob(
  nodes: readonly GlobNode[],
  reading: CaseMode,
): (text: string) => boolean {
  const isPlain = nodes.every(({ kind }) => kind === 'character' || kind === 'any')
  return isPlain ? compilePlain(nodes, reading) : compileAutomaton(toPiece(nodes, reading))
}

/** Returns the literal text of nodes; undefined if they contain a wildcard. */
export function literalOf(nodes: readonly GlobNode[]): string | undefined {
  let text = ''
  for (const node of nodes) {
    if (node.kind !== 'character') return undefined
    text += String.fromCodePoint(node.code)
  }
  return text
}

/** Compiles patterns of literal text and stars that cross `/`, by far the most common ones, without an automaton. */
function compilePlain(nodes: readonly GlobNode[], reading: CaseMode): (text: string) => boolean {
  const pieces: string[] = ['']
  for (const node of nodes) {
    if (node.kind === 'character') pieces.push(pieces.pop() + String.fromCodePoint(node.code))
    else pieces.push('')
  }
  const [first = '', ...rest] = reading === 'exact' ? pieces : pieces.map(fold)
  const last = rest.pop()
  if (last === undefined) return (text) => text === first
  return (text) => {
    const end = text.length - last.length
    if (end < first.length || !text.startsWith(first) || !text.endsWith(last)) return false
    let at = first.length
    for (const piece of rest) {
      const found = text.indexOf(piece, at)
      if (found === -1 || found + piece.length > end) return false
      at = found + piece.length
    }
    return true
  }
}

function toPiece(nodes: readonly GlobNode[], reading: CaseMode): Piece {
  return sequence(nodes.map((node) => pieceOf(node, reading)))
}

function pieceOf(node: GlobNode, reading: CaseMode): Piece {
  switch (node.kind) {
    case 'character':
      return literal(node.code, reading)
    case 'set':
      return { kind: 'any', accepts: setTest(node, reading) }
    case 'one':
      return notSlash
    case 'name':
      return repeated(notSlash)
    case 'any':
      return repeated(anything)
    case 'directories':
      return { kind: 'repeat', piece: leading, min: 0, many: false }
    case 'below':
      return { kind: 'repeat', piece: sequence([aSlash, repeated(anything)]), min: 0, many: false }
    case 'choice': {
      const pieces = node.options.map((option) => toPiece(option, reading))
      const piece: Piece = { kind: 'choice', pieces }
      if (node.repeat === 'once') return piece
      const min = node.repeat === 'some' ? 1 : 0
      return { kind: 'repeat', piece, min, many: node.repeat !== 'optional' }
    }
  }
}

const anything: Piece = { kind: 'any', accepts: () => true }
const notSlash: Piece = { kind: 'any', accepts: (code) => code !== slash }
const aSlash: Piece = { kind: 'any', accepts: (code) => code === slash }
const leading = sequence([repeated(anything), aSlash])

function sequence(pieces: readonly Piece[]): Piece {
  return { kind: 'sequence', pieces }
}

function repeated(piece: Piece): Piece {
  return { kind: 'repeat', piece, min: 0, many: true }
}

/** Matches one character, which folding may turn into several. */
function literal(code: number, reading: CaseMode): Piece {
  const text = String.fromCodePoint(code)
  const characters = [...(reading === 'exact' ? text : fold(text))]
  return sequence(
    characters.map((character): Piece => {
      const expected = character.codePointAt(0)
      return { kind: 'any', accepts: (found) => found === expected }
    }),
  )
}

function setTest(set: CharacterSet, reading: CaseMode): (code: number) => boolean {
  const isIn = (code: number): boolean =>
    set.ranges.some(([from, to]) => code >= from && code <= to)
  if (reading === 'exact') return (code) => code !== slash && isIn(code) !== set.negated
  const takes = (codes: readonly number[]): boolean => {
    if (!set.negated) return codes.some(isIn)
    return reading === 'folded' ? !codes.some(isIn) : !codes.every(isIn)
  }
  return (code) => code !== slash && takes(casesOf(code))
}

function casesOf(code: number): readonly number[] {
  const text = String.fromCodePoint(code)
  const cases = [text, text.toLowerCase(), text.toUpperCase()]
  return cases.filter((one) => [...one].length === 1).map((one) => one.codePointAt(0) ?? 0)
}
