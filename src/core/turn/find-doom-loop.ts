import type { Messages } from '../../domain/messages/messages.ts'
import { comparableOutput } from '../../domain/tool/comparable-output.ts'
import { canonicalJson } from '../../util/canonical-json.ts'
import { assertNever } from '../../util/guards.ts'
import { tryParseJson } from '../../util/text/try-parse-json.ts'

/** Settled call of a turn, for loop detection. */
export interface PastCall {
  readonly step: number
  readonly tool: string
  /** Arguments as given by the model. */
  readonly arguments: string
  /** Result as seen by the model; null: too old to be compared. */
  readonly result: string | null
  readonly isError: boolean
}

/** Description of a loop for people. */
export type DoomLoop =
  | { readonly kind: 'call'; readonly tool: string | undefined }
  | { readonly kind: 'pair'; readonly tools: readonly [string | undefined, string | undefined] }
  | { readonly kind: 'results' }

/** Number of repetitions that make a loop. */
const often = 3
/** Number of latest steps in which a loop can begin. */
export const doomSteps = 2 * often
/** Number of latest steps whose results are compared. */
export const doomResults = often

/**
 * LOOP-11: detects three steps in a row with the same results, the same call three times in a row, or two calls alternating three
 * times each. `calls`: those of the last steps, in order. Repeats within one message count once, as they were made before any
 * result.
 */
export function findDoomLoop(calls: readonly PastCall[]): DoomLoop | undefined {
  const steps = [...Map.groupBy(calls, ({ step }) => step).values()]
  if (steps.length < often) return undefined
  const sequence = steps.flatMap(eachOnce)
  return sameCall(sequence) ?? samePair(sequence) ?? sameResults(steps.slice(-often))
}

interface ComparedCall {
  readonly tool: string
  readonly key: string
}

function eachOnce(step: readonly PastCall[]): readonly ComparedCall[] {
  const asked = new Map<string, ComparedCall>()
  for (const call of step) {
    const key = `${call.tool} ${canonical(call.arguments)}`
    asked.set(key, { tool: call.tool, key })
  }
  return [...asked.values()]
}

/** Compares invalid JSON by its text. */
function canonical(text: string): string {
  const value = tryParseJson(text)
  return value === undefined ? text : canonicalJson(value)
}

function sameCall(sequence: readonly ComparedCall[]): DoomLoop | undefined {
  const last = sequence.slice(-often)
  const [call] = last
  if (call === undefined || last.length < often) return undefined
  if (last.some(({ key }) => key !== call.key)) return undefined
  return { kind: 'call', tool: shown(call) }
}

function samePair(sequence: readonly ComparedCall[]): DoomLoop | undefined {
  const last = sequence.slice(-2 * often)
  const [one, other] = last
  if (one === undefined || other === undefined || last.length < 2 * often) return undefined
  if (one.key === other.key) return undefined
  const isPair = last.every(({ key }, at) => key === (at % 2 === 0 ? one : other).key)
  return isPair ? { kind: 'pair', tools: [shown(one), shown(other)] } : undefined
}

function sameResults(steps: readonly (readonly PastCall[])[]): DoomLoop | undefined {
  const results = steps.map((step) =>
    JSON.stringify(step.map(({ result }) => comparableOutput(result ?? ''))),
  )
  if (results.some((result) => result !== results[0])) return undefined
  if (steps.every((step) => step.every(isEmptyResult))) return undefined
  return { kind: 'results' }
}

/** Results of tools that have nothing to report; a shell search reports that by its exit code alone. */
const nothing =
  /^(?:|\(no output\)|\(nothing found\)|\(the directory is empty\)|\[exit code 1\]|\[no line of \d{1,12} matches\])$/

/** Silent commands and different searches without matches look alike but are no loop. */
function isEmptyResult({ result, isError }: PastCall): boolean {
  return !isError && nothing.test((result ?? '').trim())
}

function shown({ tool }: ComparedCall): string | undefined {
  return /^[\w.-]{1,64}$/.test(tool) ? tool : undefined
}

/** What repeats, in words. */
export function describeLoop({ loops }: Messages['turns'], loop: DoomLoop): string {
  const named = (tool: string | undefined): string => tool ?? loops.unknownTool
  switch (loop.kind) {
    case 'call':
      return loops.call({ tool: named(loop.tool) })
    case 'pair':
      return loops.pair({ one: named(loop.tools[0]), other: named(loop.tools[1]) })
    case 'results':
      return loops.results
    default:
      return assertNever(loop)
  }
}
