import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { text as readText } from 'node:stream/consumers'
import { setTimeout as delay } from 'node:timers/promises'
import { type Wire, type WireAnswer, type WireProtocol, wires } from './model-wires.ts'

/** A request as it came over the wire. */
export interface WireRequest {
  readonly protocol: WireProtocol
  readonly path: string
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  readonly rawBody: string
  // biome-ignore lint/suspicious/noExplicitAny: tests look into bodies of three protocols
  readonly body: any
  /** Counts the requests of this server from 0. */
  readonly index: number
}

export type Reply =
  | ({ readonly kind: 'answer'; readonly delayMs?: number } & WireAnswer)
  /** Some text, then the end of the stream without the provider's word for it. */
  | { readonly kind: 'cut'; readonly text: string }
  /** Some text, then the socket is destroyed; without text, before the headers. */
  | { readonly kind: 'kill'; readonly text?: string }
  /** Some text, then an error event inside the stream. */
  | {
      readonly kind: 'error_event'
      readonly text?: string
      readonly type: string
      readonly message: string
    }
  | {
      readonly kind: 'status'
      readonly status: number
      readonly headers?: Readonly<Record<string, string>>
      readonly body?: string
    }
  /** Some text, then nothing more, whatever the client does. */
  | { readonly kind: 'hang'; readonly text?: string }

export interface ModelServer extends AsyncDisposable {
  /** `http://127.0.0.1:PORT`, good for ANTHROPIC_BASE_URL, OPENAI_BASE_URL and OLLAMA_BASE_URL, with or without `/v1`. */
  readonly url: string
  readonly requests: readonly WireRequest[]
}

type Script = readonly Reply[] | ((request: WireRequest) => Reply | Promise<Reply>)

const protocols: Readonly<Record<string, WireProtocol>> = {
  '/v1/messages': 'anthropic',
  '/v1/chat/completions': 'openai-chat',
  '/api/chat': 'ollama',
}

/**
 * A model provider on a free port of 127.0.0.1 that streams what a test wrote down: one reply a request (the
 * last one again and again) or a function of the request. Other paths get 404, requests that do not stream 400.
 */
export async function createModelServer(script: Script): Promise<ModelServer> {
  const requests: WireRequest[] = []
  const server = createServer((incoming, response) => {
    serve(incoming, response, script, requests).catch((error: unknown) =>
      response.destroy(error as Error),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    requests,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}

async function serve(
  incoming: IncomingMessage,
  response: ServerResponse,
  script: Script,
  requests: WireRequest[],
): Promise<void> {
  const rawBody = await readText(incoming)
  const path = incoming.url ?? ''
  const protocol = protocols[path]
  if (protocol === undefined)
    return sendStatus(response, 404, {}, '{"error":{"message":"no such path"}}')
  const body = JSON.parse(rawBody)
  const request = {
    protocol,
    path,
    headers: incoming.headers,
    rawBody,
    body,
    index: requests.length,
  }
  requests.push(request)
  if (body.stream !== true)
    return sendStatus(response, 400, {}, '{"error":{"message":"must stream"}}')
  const reply =
    typeof script === 'function'
      ? await script(request)
      : script[Math.min(request.index, script.length - 1)]
  if (reply === undefined) throw new Error('the script is empty')
  await send(response, wires[protocol], reply)
}

async function send(response: ServerResponse, wire: Wire, reply: Reply): Promise<void> {
  if (reply.kind === 'status')
    return sendStatus(response, reply.status, reply.headers ?? {}, reply.body ?? '{}')
  if (reply.kind === 'kill' && reply.text === undefined) return void response.destroy()
  if (reply.kind === 'hang' && reply.text === undefined) return
  if (reply.kind === 'answer') await delay(reply.delayMs ?? 0)
  response.writeHead(200, { 'content-type': wire.contentType })
  const text = reply.text ?? ''
  if (reply.kind === 'answer') return void response.end(wire.answer(reply).join(''))
  response.write(wire.begin(text).join(''))
  // The client shall have read what was written before the stream breaks.
  await delay(50)
  if (reply.kind === 'cut') response.end()
  if (reply.kind === 'kill') response.destroy()
  if (reply.kind === 'error_event') response.end(wire.error(reply.type, reply.message))
}

function sendStatus(
  response: ServerResponse,
  status: number,
  headers: Readonly<Record<string, string>>,
  body: string,
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(body)
}
