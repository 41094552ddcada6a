import { createModelServer, type Reply, type WireRequest } from '../../support/model-server.ts'

/** A provider that does what the last message of a person says; `hold` keeps it thinking. */
export interface ObedientModel extends AsyncDisposable {
  readonly url: string
  /** Requests so far that were about this order, held ones included. */
  requestsAbout(order: string): readonly WireRequest[]
  /** Requests so far to sum up what a tool printed. */
  summaries(): readonly WireRequest[]
  /** From now on no answer leaves; dispose to let go. */
  hold(): Disposable
}

/**
 * `run: COMMAND` calls bash; anything else is answered in words. Behind a result it says `finished: ORDER`, behind one
 * that was interrupted `interrupted: ORDER`.
 */
export async function createObedientModel(): Promise<ObedientModel> {
  let gate: Promise<void> = Promise.resolve()
  const server = await createModelServer(async (request) => {
    await gate
    return replyTo(request)
  })
  return {
    url: server.url,
    requestsAbout: (order) => server.requests.filter((request) => orderOf(request) === order),
    summaries: () => server.requests.filter(isSummary),
    hold: () => {
      const { promise, resolve } = Promise.withResolvers<void>()
      gate = promise
      return { [Symbol.dispose]: resolve }
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

function isSummary({ body }: WireRequest): boolean {
  return JSON.stringify(body.system ?? '').includes('You sum up what a tool printed')
}

function replyTo(request: WireRequest): Reply {
  if (isSummary(request)) return { kind: 'answer', text: `summary ${request.index}` }
  const order = orderOf(request)
  const result = resultOf(request)
  if (result !== undefined) {
    const word = result.includes('interrupted:') ? 'interrupted' : 'finished'
    return { kind: 'answer', text: `${word}: ${order}` }
  }
  if (!order.startsWith('run: ')) return { kind: 'answer', text: `heard: ${order}` }
  const args = JSON.stringify({ command: order.slice('run: '.length) })
  const id = `toolu_${request.index}`
  return { kind: 'answer', calls: [{ id, tool: 'bash', arguments: args }] }
}

interface Block {
  readonly type: string
  readonly text?: string
  readonly content?: unknown
}

interface WireMessage {
  readonly role: string
  readonly content: string | readonly Block[]
}

/** The words of the last message that a person wrote. */
function orderOf({ body }: WireRequest): string {
  const messages: readonly WireMessage[] = body.messages
  const texts = messages.flatMap(({ role, content }) => (role === 'user' ? wordsIn(content) : []))
  return texts.at(-1) ?? ''
}

function wordsIn(content: WireMessage['content']): readonly string[] {
  if (typeof content === 'string') return [content]
  return content.flatMap(({ type, text }) => (type === 'text' && text !== undefined ? [text] : []))
}

/** The tool's result that the request ends with, if it does. */
function resultOf({ body }: WireRequest): string | undefined {
  const { content } = body.messages.at(-1)
  const last: Block | undefined = typeof content === 'string' ? undefined : content.at(-1)
  return last?.type === 'tool_result' ? JSON.stringify(last.content) : undefined
}
