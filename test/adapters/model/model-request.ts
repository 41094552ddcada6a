import type { TranscriptMessage } from '../../../src/domain/message.ts'
import type { ModelRequest, ModelTool } from '../../../src/ports/model.ts'

export const bashTool: ModelTool = {
  name: 'bash',
  description: 'Runs a command.',
  schema: {
    type: 'object',
    properties: { command: { type: 'string' } },
    required: ['command'],
    additionalProperties: false,
  },
  block: { mark: 'bash', argument: 'command' },
}

/** A request as a step of a turn would make it; a text stands for one message of a person. */
export function toModelRequest(
  asked: string | readonly TranscriptMessage[],
  more: Partial<ModelRequest> = {},
): ModelRequest {
  return {
    system: 'You are a test.',
    messages: typeof asked === 'string' ? [fromPerson(asked)] : asked,
    tools: [bashTool],
    toolChoice: 'auto',
    cacheKey: 'session-1',
    signal: new AbortController().signal,
    ...more,
  }
}

export function fromPerson(text: string, author = 'Ada'): TranscriptMessage {
  return { role: 'user', author, text }
}

/** The model's message and the results of its calls, as the transcript keeps them. */
export function toolRound(
  id: string,
  tool: string,
  args: unknown,
  result: string,
  isError = false,
): TranscriptMessage[] {
  return [
    { role: 'assistant', text: '', calls: [{ id, tool, arguments: JSON.stringify(args) }] },
    { role: 'tool', callId: id, tool, text: result, isError },
  ]
}
