import { createInterface } from 'node:readline'
import type { Readable, Writable } from 'node:stream'
import { z } from 'zod'
import { assertNever } from '../../util/guards.ts'
import type { ToolRunner } from './open-tool-runner.ts'

/** Further fields are ignored; they are notes of the author. */
const call = z.object({
  id: z.unknown().optional(),
  tool: z.string(),
  arguments: z.record(z.string(), z.unknown()),
})

/** Answer to one line. */
interface Answer {
  readonly ok: boolean
  readonly output: string
  readonly error?: { readonly category: string; readonly message: string }
  readonly envelope?: unknown
}

/**
 * Implements `countersign tools run`: reads one JSON call a line, runs them in order and writes one result a line.
 * Resolves to the exit code: 1 if a line was invalid, otherwise 0.
 */
export async function runToolLines(
  input: Readable,
  output: Writable,
  runner: Pick<ToolRunner, 'run'>,
): Promise<number> {
  let exitCode = 0
  for await (const line of createInterface({ input, crlfDelay: Number.POSITIVE_INFINITY })) {
    if (line.trim() === '') continue
    const asked = parseLine(line)
    if (asked.kind === 'bad') exitCode = 1
    const answer = asked.kind === 'bad' ? asked.answer : await answerCall(asked.call, runner)
    const { id } = asked
    await write(output, `${JSON.stringify(id === undefined ? answer : { id, ...answer })}\n`)
  }
  return exitCode
}

type Line =
  | { readonly kind: 'call'; readonly id: unknown; readonly call: z.infer<typeof call> }
  | { readonly kind: 'bad'; readonly id: unknown; readonly answer: Answer }

function parseLine(line: string): Line {
  let value: unknown
  try {
    value = JSON.parse(line)
  } catch {
    return bad(undefined, 'the line is not valid JSON')
  }
  const parsed = call.safeParse(value)
  if (parsed.success) return { kind: 'call', id: parsed.data.id, call: parsed.data }
  const id = typeof value === 'object' && value !== null && 'id' in value ? value.id : undefined
  return bad(id, `the line is not a call: ${z.prettifyError(parsed.error)}`)
}

function bad(id: unknown, message: string): Line {
  return { kind: 'bad', id, answer: failed({ category: 'invalid_parameters', message }) }
}

async function answerCall(
  asked: z.infer<typeof call>,
  runner: Pick<ToolRunner, 'run'>,
): Promise<Answer> {
  const outcome = await runner.run(asked.tool, JSON.stringify(asked.arguments))
  switch (outcome.kind) {
    case 'succeeded':
      return { ok: true, output: outcome.output, ...envelopeOf(outcome) }
    case 'failed':
      return { ...failed(outcome.error, outcome.output), ...envelopeOf(outcome) }
    case 'interrupted':
    case 'elsewhere':
    case 'changed':
    case 'unchanged':
    case 'refused':
    case 'preview':
    case 'programs':
      return failed({ category: 'permanent_failure', message: `it was not run (${outcome.kind})` })
    default:
      return assertNever(outcome)
  }
}

function failed(error: NonNullable<Answer['error']>, output = ''): Answer {
  return { ok: false, output, error }
}

function envelopeOf({ envelope }: { readonly envelope?: unknown }): Pick<Answer, 'envelope'> {
  return envelope === undefined ? {} : { envelope }
}

async function write(output: Writable, text: string): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    output.write(text, (error) => (error ? reject(error) : resolve()))
  })
}
