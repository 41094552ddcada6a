import type { ModelRequest } from '../../ports/model.ts'
import { isRecord } from '../../util/guards.ts'
import { toStorable } from '../../util/text/storable.ts'
import type { AssistantPart, FunctionTool, Prompt, PromptMessage } from './language-model.ts'
import { type AnsweredCall, type Exchange, repairTranscript } from './repair-transcript.ts'
import { type Signer, toContent } from './signed-content.ts'

/** Converts system text and transcript for the SDK. Equal transcripts give byte-identical prompts. */
export function toPrompt(
  request: Pick<ModelRequest, 'system' | 'messages'>,
  signer: Signer,
  nativeTools: boolean,
): Prompt {
  const system: Prompt =
    request.system.trim() === '' ? [] : [{ role: 'system', content: toStorable(request.system) }]
  const toMessages = nativeTools ? withCalls(signer) : asPlainText
  return [...system, ...repairTranscript(request.messages).flatMap(toMessages)]
}

/** The tools offered to a model with native tool calls, in the given order. */
export function toTools(request: Pick<ModelRequest, 'tools'>): FunctionTool[] {
  return request.tools.map(({ name, description, schema }) => ({
    type: 'function',
    name,
    description,
    inputSchema: { ...schema },
  }))
}

function withCalls(signer: Signer): (exchange: Exchange) => PromptMessage[] {
  return (exchange) => {
    if (exchange.kind === 'user') return [toUser(exchange.text)]
    const content = toContent(exchange, signer, toCall)
    const results = exchange.calls.map(toResult)
    const answers: PromptMessage[] =
      results.length === 0 ? [] : [{ role: 'tool', content: results }]
    return [{ role: 'assistant', content }, ...answers]
  }
}

/** MODEL-02: without native tool calls, a call is part of the model's text and its result is a user message. */
function asPlainText(exchange: Exchange): PromptMessage[] {
  if (exchange.kind === 'user') return [toUser(exchange.text)]
  const text = exchange.text.trim() === '' ? '(no text)' : exchange.text
  const results = exchange.calls.map(({ tool, result }) => `[result of ${tool}]\n${result.text}`)
  const answers = results.length === 0 ? [] : [toUser(results.join('\n\n'))]
  return [{ role: 'assistant', content: [{ type: 'text', text: toStorable(text) }] }, ...answers]
}

function toUser(text: string): PromptMessage {
  return { role: 'user', content: [{ type: 'text', text: toStorable(text) }] }
}

function toCall(call: AnsweredCall): Extract<AssistantPart, { type: 'tool-call' }> {
  return {
    type: 'tool-call',
    toolCallId: call.wireId,
    toolName: safeToolName(call.tool),
    input: replayableInput(call.arguments),
  }
}

function toResult(call: AnsweredCall): Extract<PromptMessage, { role: 'tool' }>['content'][number] {
  const value = toStorable(call.result.text)
  return {
    type: 'tool-result',
    toolCallId: call.wireId,
    toolName: safeToolName(call.tool),
    output: { type: call.result.isError ? 'error-text' : 'text', value },
  }
}

/** Providers refuse a transcript with tool names of another form, even if the model invented them. */
function safeToolName(name: string): string {
  return name.replaceAll(/[^A-Za-z0-9_-]/g, '_').slice(0, 64) || 'unnamed'
}

/** Providers accept objects only; other input is shown back to the model as it was. */
function replayableInput(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return value
  } catch {
    // Malformed JSON: falls through to the wrapped text.
  }
  return { invalid_arguments: text }
}
