import { z } from 'zod'

const maxLineCharacters = 8 * 1024 * 1024
const lineSchema = z.looseObject({ error: z.string().optional() })

/**
 * Ollama reports trouble as a line in the middle of its stream, and its SDK prints such lines and goes on.
 * Here each line is checked as it passes: an error or a line that is no JSON object ends the stream.
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
      if (rest.length > maxLineCharacters) throw new Error('Ollama sent a line without end.')
      for (const line of lines) controller.enqueue(checked(line))
    },
    flush(controller) {
      if (rest.trim() !== '') controller.enqueue(checked(rest))
    },
  })
}

function checked(line: string): string {
  if (line.trim() === '') return line
  const parsed = lineSchema.safeParse(parseJson(line))
  if (!parsed.success) throw new Error('Ollama sent a line that is not JSON.')
  if (parsed.data.error !== undefined) {
    throw new Error(`Ollama failed in the middle of its answer: ${parsed.data.error}`)
  }
  return `${line}\n`
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
