import { z } from 'zod'
import { isRecord } from '../../../util/guards.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { GarbledStream } from '../answer/garbled-stream.ts'

const maxLineCharacters = 8 * 1024 * 1024

const count = z.number().optional().catch(undefined)
const word = z.string().optional().catch(undefined)

/** A value that is not an object is wrapped in one, so that the call fails validation like any other. */
const callArguments = z
  .unknown()
  .transform((value) => (isRecord(value) ? value : { invalid_arguments: value ?? null }))

const lineSchema = z.object({
  error: word,
  model: z.string().catch(''),
  created_at: z.string().catch(''),
  done: z.boolean().catch(false),
  done_reason: word,
  prompt_eval_count: count,
  eval_count: count,
  message: z
    .object({
      role: z.string().catch('assistant'),
      content: z.string().catch(''),
      thinking: word,
      tool_calls: z
        .array(
          z.object({
            id: word,
            // A call without a name is kept, so that the model gets an error for it.
            function: z
              .object({ name: z.string().catch(''), arguments: callArguments })
              .catch({ name: '', arguments: { invalid_arguments: null } }),
          }),
        )
        .optional()
        .catch(undefined),
    })
    .catch({ role: 'assistant', content: '' }),
})

/**
 * Validates each line of an Ollama stream. Ollama reports errors as a line inside the stream, and its SDK prints unexpected lines
 * to the terminal and continues. Here an error, or a line that is not a JSON object, ends the stream; other lines are brought
 * into the SDK's form.
 */
export function guardOllamaStream(response: Response): Response {
  if (!response.ok || response.body === null) return response
  const body = response.body
    .pipeThrough(new TextDecoderStream())
    .pipeThrough(createLineGuard())
    .pipeThrough(new TextEncoderStream())
  return new Response(body, response)
}

function createLineGuard(): TransformStream<string, string> {
  let rest = ''
  return new TransformStream({
    transform(chunk, controller) {
      const lines = (rest + chunk).split('\n')
      rest = lines.pop() ?? ''
      if (rest.length > maxLineCharacters) throw new GarbledStream('a line without end')
      for (const line of lines) controller.enqueue(checked(line))
    },
    flush(controller) {
      controller.enqueue(checked(rest))
    },
  })
}

function checked(line: string): string {
  if (line.trim() === '') return ''
  const parsed = lineSchema.safeParse(tryParseJson(line))
  if (!parsed.success) throw new GarbledStream('a line that is not JSON')
  const { error, ...data } = parsed.data
  if (error !== undefined) throw new Error(error)
  return `${JSON.stringify(data)}\n`
}
