export type WireProtocol = 'anthropic' | 'openai-chat' | 'ollama'

export interface WireCall {
  readonly id?: string
  readonly tool: string
  /** JSON text, sent as it is; Ollama needs an object in it. */
  readonly arguments: string
}

/** Tokens as the provider counts them: `input` is without the cached ones. */
export interface WireUsage {
  readonly input: number
  readonly output: number
  readonly cacheRead?: number
  readonly cacheWrite?: number
}

/** One complete answer, whatever the protocol. */
export interface WireAnswer {
  readonly text?: string
  readonly calls?: readonly WireCall[]
  readonly usage?: WireUsage
  /** Signed reasoning before the text; Anthropic only. */
  readonly thinking?: { readonly text: string; readonly signature: string }
  readonly stopReason?: string
}

/** How one protocol streams: the pieces of a whole answer, of the beginning of one, and of an error inside it. */
export interface Wire {
  readonly contentType: string
  begin(text: string): string[]
  answer(reply: WireAnswer): string[]
  error(type: string, message: string): string
}

function event(type: string, data: object): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`
}

/** Two pieces, so that a client that takes only the first is found out. */
function halves(text: string): string[] {
  const middle = Math.ceil(text.length / 2)
  return [text.slice(0, middle), text.slice(middle)].filter((half) => half !== '')
}

const anthropicWire: Wire = {
  contentType: 'text/event-stream',
  begin: (text) => [
    anthropicStart(),
    ...anthropicBlock(0, { type: 'text', text: '' }, textDeltas(text)).slice(0, -1),
  ],
  answer(reply) {
    const { thinking, text = '', calls = [], usage = { input: 10, output: 5 } } = reply
    const blocks: [object, object[]][] = [
      ...(thinking === undefined
        ? []
        : [
            [{ type: 'thinking', thinking: '', signature: '' }, thinkingDeltas(thinking)] as [
              object,
              object[],
            ],
          ]),
      ...(text === ''
        ? []
        : [[{ type: 'text', text: '' }, textDeltas(text)] as [object, object[]]]),
      ...calls.map((call, index): [object, object[]] => [
        { type: 'tool_use', id: call.id ?? `toolu_${index}`, name: call.tool, input: {} },
        halves(call.arguments).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ]),
    ]
    const stop_reason = reply.stopReason ?? (calls.length > 0 ? 'tool_use' : 'end_turn')
    return [
      anthropicStart(usage),
      ...blocks.flatMap(([block, deltas], index) => anthropicBlock(index, block, deltas)),
      event('message_delta', {
        delta: { stop_reason, stop_sequence: null },
        usage: { output_tokens: usage.output },
      }),
      event('message_stop', {}),
    ]
  },
  error: (type, message) => event('error', { error: { type, message } }),
}

function anthropicStart(usage: WireUsage = { input: 10, output: 0 }): string {
  const message = {
    id: 'msg_1',
    type: 'message',
    role: 'assistant',
    model: 'scripted',
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: usage.input,
      output_tokens: 1,
      cache_read_input_tokens: usage.cacheRead ?? 0,
      cache_creation_input_tokens: usage.cacheWrite ?? 0,
    },
  }
  return event('message_start', { message })
}

function anthropicBlock(index: number, content_block: object, deltas: readonly object[]): string[] {
  return [
    event('content_block_start', { index, content_block }),
    ...deltas.map((delta) => event('content_block_delta', { index, delta })),
    event('content_block_stop', { index }),
  ]
}

function textDeltas(text: string): object[] {
  return halves(text).map((half) => ({ type: 'text_delta', text: half }))
}

function thinkingDeltas({
  text,
  signature,
}: {
  readonly text: string
  readonly signature: string
}): object[] {
  return [
    ...halves(text).map((half) => ({ type: 'thinking_delta', thinking: half })),
    { type: 'signature_delta', signature },
  ]
}

const chatWire: Wire = {
  contentType: 'text/event-stream',
  begin: (text) =>
    halves(text).map((content) => chatChunk({ delta: { role: 'assistant', content } })),
  answer(reply) {
    const { text = '', calls = [], usage = { input: 10, output: 5 } } = reply
    const cached_tokens = usage.cacheRead ?? 0
    const prompt_tokens = usage.input + cached_tokens
    return [
      ...chatWire.begin(text),
      ...calls.flatMap(chatCall),
      chatChunk({
        delta: {},
        finish_reason: reply.stopReason ?? (calls.length > 0 ? 'tool_calls' : 'stop'),
      }),
      chatChunk(undefined, {
        prompt_tokens,
        completion_tokens: usage.output,
        total_tokens: prompt_tokens + usage.output,
        prompt_tokens_details: { cached_tokens },
      }),
      'data: [DONE]\n\n',
    ]
  },
  error: (type, message) => `data: ${JSON.stringify({ error: { type, message, code: null } })}\n\n`,
}

function chatCall(call: WireCall, index: number): string[] {
  const head = {
    index,
    id: call.id ?? `call_${index}`,
    type: 'function',
    function: { name: call.tool, arguments: '' },
  }
  const rest = halves(call.arguments).map((part) => ({ index, function: { arguments: part } }))
  return [head, ...rest].map((piece) => chatChunk({ delta: { tool_calls: [piece] } }))
}

function chatChunk(choice: object | undefined, usage: object | null = null): string {
  const choices = choice === undefined ? [] : [{ index: 0, finish_reason: null, ...choice }]
  return `data: ${JSON.stringify({ id: 'chat_1', object: 'chat.completion.chunk', created: 1, model: 'scripted', choices, usage })}\n\n`
}

const ollamaWire: Wire = {
  contentType: 'application/x-ndjson',
  begin: (text) =>
    halves(text).map((content) =>
      ollamaLine({ message: { role: 'assistant', content }, done: false }),
    ),
  answer(reply) {
    const { text = '', calls = [], usage = { input: 10, output: 5 } } = reply
    const tool_calls = calls.map((call) => ({
      function: { name: call.tool, arguments: JSON.parse(call.arguments) },
    }))
    return [
      ...ollamaWire.begin(text),
      ...(calls.length === 0
        ? []
        : [ollamaLine({ message: { role: 'assistant', content: '', tool_calls }, done: false })]),
      ollamaLine({
        message: { role: 'assistant', content: '' },
        done: true,
        done_reason: reply.stopReason ?? 'stop',
        prompt_eval_count: usage.input,
        eval_count: usage.output,
      }),
    ]
  },
  error: (_type, message) => `${JSON.stringify({ error: message })}\n`,
}

function ollamaLine(data: object): string {
  return `${JSON.stringify({ model: 'scripted', created_at: '2026-01-01T00:00:00Z', ...data })}\n`
}

export const wires: Readonly<Record<WireProtocol, Wire>> = {
  anthropic: anthropicWire,
  'openai-chat': chatWire,
  ollama: ollamaWire,
}
