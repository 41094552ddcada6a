import type { Command, ParsedScript, Pipeline, Word } from 'unbash'
import { isMove } from '../cd-target.ts'
import { isSilencing } from '../listings.ts'
import { changesShell, wrappers } from '../programs/programs.ts'
import { commandWords } from '../words/command-words.ts'
import { hasHereText, nodesOf } from './variable-places.ts'

/** More rounds than these are not written out one by one. */
const maxRounds = 20

/** The numbers of `seq 5`, `seq 2 10` or `seq 0 5 100`, from its words; undefined for other words and for too many numbers. */
function sequenceOf(words: readonly string[], most = maxRounds): readonly number[] | undefined {
  const [program, ...rest] = words
  if (program !== 'seq' || rest.length < 1 || rest.length > 3) return undefined
  if (!rest.every((word) => /^(?:0|[1-9]\d{0,5})$/.test(word))) return undefined
  const given = rest.map(Number)
  const step = given.length === 3 ? given[1] : 1
  const from = given.length === 1 ? 1 : given[0]
  const to = given.at(-1)
  if (from === undefined || to === undefined || step === undefined || step === 0) return undefined
  const length = Math.floor((to - from) / step) + 1
  return length < 1 || length > most
    ? undefined
    : Array.from({ length }, (_, at) => from + at * step)
}

/** The numbers of a word `$(seq 1 5)` or `{1..5}`. */
export function sequenceIn({ text }: Word, most = maxRounds): readonly number[] | undefined {
  const range = /^\{(\d{1,5})\.\.(\d{1,5})\}$/.exec(text)
  if (range !== null) return sequenceOf(['seq', range[1] ?? '', range[2] ?? ''], most)
  const inner = /^\$\((seq(?: \d{1,6}){1,3})\)$/.exec(text)?.[1]
  return inner === undefined ? undefined : sequenceOf(inner.split(' '), most)
}

/**
 * SHELL-12: a script with the first `seq 1 5 | xargs -I{} curl localhost/{}` written out, each round with its number in place of
 * `{}`, or at the end. Of a longer sequence, whose numbers stand in web addresses only, the first and the last round.
 */
export function writeOutSequence(script: ParsedScript, text: string): string | undefined {
  if (hasHereText(text) || !text.includes('xargs')) return undefined
  for (const node of nodesOf(script)) {
    const found = node.type === 'Pipeline' ? roundsOf(node) : undefined
    if (found === undefined) continue
    const { pos, end, rounds } = found
    return `${text.slice(0, pos)}{\n${rounds.join('\n')}\n}${text.slice(end)}`
  }
  return undefined
}

function roundsOf({ commands, operators }: Pipeline) {
  const [first, second] = commands
  if (first?.type !== 'Command' || second?.type !== 'Command' || operators[0] !== '|')
    return undefined
  const isPlain = [first, second].every(
    ({ prefix, redirects }) => prefix.length === 0 && redirects.every(isSilencing),
  )
  const call = isPlain ? callOf(second) : undefined
  if (call === undefined || first.suffix.some(({ type }) => type !== 'Word')) return undefined
  const numbers = sequenceOf(commandWords(first), 100_000)
  if (numbers === undefined) return undefined
  const isLong = numbers.length > maxRounds
  const areAddresses = call.words.every((word) => isAddress(word) || !word.includes(call.place))
  if (isLong && (call.isAtEnd || !areAddresses)) return undefined
  const [start = 0] = numbers
  const chosen = isLong ? [start, numbers.at(-1) ?? start] : numbers
  const isNamed = call.words.some((word) => word.includes(call.place))
  // A place that no word has: all rounds are alike.
  const rounds = (isNamed || call.isAtEnd ? chosen : [start]).map((number) =>
    [
      ...call.words.map((word) => word.replaceAll(call.place, `${number}`)),
      ...(call.isAtEnd ? [number] : []),
    ].join(' '),
  )
  return { pos: first.pos, end: second.end, rounds }
}

/** `http://localhost:3000/items/{}` */
export function isAddress(word: string): boolean {
  return /^["']?(?:https?:\/\/[\w.-]+(?::\d+)?|[a-z][\w.-]*:\d+)[/?][\w./?=&{}%-]*["']?$/.test(word)
}

interface Call {
  /** The source texts of the words that are run. */
  readonly words: readonly string[]
  readonly place: string
  readonly isAtEnd: boolean
}

const alone = /^(?:-[rt]|-P\d{1,3}|--max-procs=\d{1,3}|--no-run-if-empty)$/
const keywords =
  /^(?:if|then|elif|else|fi|for|while|until|do|done|case|esac|in|select|function|time|coproc)$/

/** The command that `xargs` runs for each number; it is a program, whatever the shell has under that name. */
function callOf({ name, suffix }: Command): Call | undefined {
  if (name?.text !== 'xargs') return undefined
  const words = suffix.flatMap((part) => (part.type === 'Word' ? [part] : []))
  let place: string | undefined
  let isSingle = false
  let at = 0
  for (; words[at]?.value.startsWith('-') === true; at += 1) {
    const word = words[at]?.text ?? ''
    const next = words[at + 1]?.text ?? ''
    const own = /^-I(\{\}|%)?$/.exec(word)
    // Then nothing is replaced, and the number stands at the end.
    if (place !== undefined && /^-[nL]/.test(word)) return undefined
    if (own !== null) {
      place = own[1] ?? next
      if (place !== '{}' && place !== '%') return undefined
      if (own[1] === undefined) at += 1
    } else if (/^-[nL]1$/.test(word)) isSingle = true
    else if (/^-[nL]$/.test(word) && next === '1') {
      isSingle = true
      at += 1
    } else if (word === '-P' && /^\d{1,3}$/.test(next)) at += 1
    else if (!alone.test(word)) return undefined
  }
  if (place === undefined && !isSingle) return undefined
  const run = words.slice(at)
  const [program] = run
  if (program === undefined || !isProgram(program)) return undefined
  const sign = place ?? '{}'
  const isWhole = run.every(
    ({ text, value }) => text.split(sign).length === value.split(sign).length,
  )
  if (!isWhole || (place === undefined && run.some(({ text }) => text.includes('{}'))))
    return undefined
  return { words: run.map(({ text }) => text), place: sign, isAtEnd: place === undefined }
}

function isProgram({ text }: Word): boolean {
  return (
    /^[a-z][a-z0-9-]*$/.test(text) &&
    !keywords.test(text) &&
    !changesShell.has(text) &&
    !wrappers.has(text) &&
    !/^(?:set|return|exit|break|continue|wait|jobs|trap|shift|popd|exec)$/.test(text) &&
    !isMove([text])
  )
}
