import { z } from 'zod'
import { tryParseJson } from '../../util/text/try-parse-json.ts'
import { GarbledStream } from './answer/garbled-stream.ts'
import { namelessTool } from './answer/read-stream.ts'

const maxLineCharacters = 8 * 1024 * 1024

const calls = z.array(
  z.looseObject({
    index: z.number().nullish().catch(undefined),
    function: z
      .looseObject({ name: z.string().nullish().catch(undefined) })
      .nullish()
      .catch({}),
  }),
)

const chunk = z.looseObject({
  choices: z
    .array(
      z.looseObject({
        finish_reason: z.unknown().optional(),
        delta: z.looseObject({ tool_calls: calls.nullish().catch(undefined) }).nullish(),
      }),
    )
    .min(1),
})

type Chunk = z.infer<typeof chunk>

/**
 * MODEL-08: a call without a name breaks the SDK or is dropped by it. Gives each such call of a chat completion stream a name
 * that no tool has, so that the model gets an error for it.
 */
export function guardChatStream(response: Response): Response {
  const type = response.headers.get('content-type') ?? ''
  if (!response.ok || response.body === null || !type.includes('text/event-stream')) return response
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(createNamer())
    .pipeThrough(new TextEncoderStream())
  return new Response(body, response)
}

function createNamer(): TransformStream<string, string> {
  const nameless = new Set<number>()
  const named = new Set<number>()
  let rest = ''
  return new TransformStream({
    transform(text, controller) {
      const lines = (rest + text).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineCharacters) throw new GarbledStream('a line without end')
      for (const line of lines) controller.enqueue(`${checked(line, nameless, named)}\n`)
    },
    flush(controller) {
      if (rest !== '') controller.enqueue(checked(rest, nameless, named))
    },
  })
}

function checked(line: string, nameless: Set<number>, named: Set<number>): string {
  const isEnd = /^data:\s*\[DONE\]/.test(line)
  if (isEnd) return namesFor(nameless) + line
  if (!/^data:/.test(line) || !/"(?:tool_calls|finish_reason)"/.test(line)) return line
  const parsed = chunk.safeParse(tryParseJson(line.slice('data:'.length)))
  if (!parsed.success) return line
  const asked = parsed.data.choices[0]?.delta?.tool_calls ?? []
  const isChanged = asked.map((call, at) => note(call, at, nameless, named)).includes(true)
  const own = isChanged ? `data: ${JSON.stringify(parsed.data)}` : line
  return isFinished(parsed.data) ? namesFor(nameless) + own : own
}

type Call = z.infer<typeof calls>[number]

/** Records whether a call has a name so far; returns true if the call was changed. */
function note(call: Call, at: number, nameless: Set<number>, named: Set<number>): boolean {
  const index = call.index ?? at
  const name = call.function?.name ?? ''
  if (name.trim() !== '') {
    named.add(index)
    nameless.delete(index)
    return false
  }
  if (named.has(index)) return false
  nameless.add(index)
  // Without name and index it would be taken for a part of another call; with an empty name it is dropped.
  call.index = index
  if (call.function != null) delete call.function.name
  return true
}

function isFinished({ choices: [choice] }: Chunk): boolean {
  return choice?.finish_reason !== undefined && choice.finish_reason !== null
}

function namesFor(nameless: Set<number>): string {
  const lines = [...nameless].map((index) => {
    const delta = { tool_calls: [{ index, function: { name: namelessTool } }] }
    return `data: ${JSON.stringify({ choices: [{ index: 0, delta }] })}\n\n`
  })
  nameless.clear()
  return lines.join('')
}
