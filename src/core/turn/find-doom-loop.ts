import { comparableOutput } from '../../domain/tool/comparable-output.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** A settled call of a turn, as far as it shows whether the turn goes round in circles. */
export interface PastCall {
  readonly step: number
  readonly tool: string
  /** As the model asked for it. */
  readonly arguments: string
  /** What the model was told; null: it is too long ago to count. */
  readonly result: string | null
  readonly isError: boolean
}

/** How a turn goes round in circles, in words for a person. */
export type DoomLoop = string

/** So many times in a row. */
const often = 3
/** Steps back that a loop can begin. */
export const doomSteps = 2 * often
/** Steps back of which results are compared. */
export const doomResults = often

/**
 * LOOP-11: three steps in a row with the same results, three times the same call in a row, or two calls by turns, three
 * times each. `calls`: those of the last steps, in order. Calls of one message are asked for before any has answered, so
 * that the same one twice in it counts once.
 */
export function findDoomLoop(calls: readonly PastCall[]): DoomLoop | undefined {
  const steps = [...Map.groupBy(calls, ({ step }) => step).values()]
  if (steps.length < often) return undefined
  const sequence = steps.flatMap(eachOnce)
  return sameCall(sequence) ?? samePair(sequence) ?? sameResults(steps.slice(-often))
}

interface Asked {
  readonly tool: string
  readonly key: string
}

function eachOnce(step: readonly PastCall[]): readonly Asked[] {
  const asked = new Map<string, Asked>()
  for (const call of step) {
    const key = `${call.tool} ${canonical(call.arguments)}`
    asked.set(key, { tool: call.tool, key })
  }
  return [...asked.values()]
}

/** What is no JSON is told apart by its letters. */
function canonical(text: string): string {
  const value = tryParseJson(text)
  return value === undefined ? text : canonicalJson(value)
}

function sameCall(sequence: readonly Asked[]): DoomLoop | undefined {
  const last = sequence.slice(-often)
  const [call] = last
  if (call === undefined || last.length < often) return undefined
  if (last.some(({ key }) => key !== call.key)) return undefined
  return `the same call of ${shown(call)} was made three times in a row`
}

function samePair(sequence: readonly Asked[]): DoomLoop | undefined {
  const last = sequence.slice(-2 * often)
  const [one, other] = last
  if (one === undefined || other === undefined || last.length < 2 * often) return undefined
  if (one.key === other.key) return undefined
  const isPair = last.every(({ key }, at) => key === (at % 2 === 0 ? one : other).key)
  return isPair
    ? `the same calls of ${shown(one)} and ${shown(other)} were made by turns, three times each`
    : undefined
}

function sameResults(steps: readonly (readonly PastCall[])[]): DoomLoop | undefined {
  const results = steps.map((step) =>
    JSON.stringify(step.map(({ result }) => comparableOutput(result ?? ''))),
  )
  if (results.some((result) => result !== results[0])) return undefined
  if (steps.every((step) => step.every(saysNothing))) return undefined
  return 'the last three steps gave the same results'
}

/** What tools answer where there is nothing to answer; a search by the shell says so by its exit code alone. */
const nothing =
  /^(?:|\(no output\)|\(nothing found\)|\(the directory is empty\)|\[exit code 1\]|\[no line of \d{1,12} matches\])$/

/** Commands that work in silence, and searches for other things that find none, are alike and no loop. */
function saysNothing({ result, isError }: PastCall): boolean {
  return !isError && nothing.test((result ?? '').trim())
}

function shown({ tool }: Asked): string {
  return /^[\w.-]{1,64}$/.test(tool) ? tool : 'an unknown tool'
}
