import { type ServerResponse, STATUS_CODES } from 'node:http'
import type { Socket } from 'node:net'
import { classifyFailure } from '../../rules/web/classify-failure.ts'

/** Answer to a connection or request that does not go on. */
export interface Refusal {
  readonly status: number
  /** A clause that goes to the program and to the audit. */
  readonly why: string
  /** A sentence about what can be done. */
  readonly advice?: string
}

/** Turns a failure below HTTP into an answer. */
export function toRefusal(
  error: unknown,
  host: string,
  step: 'lookup' | 'request',
  deadline?: AbortSignal,
): Refusal {
  if (deadline?.aborted) return { status: 504, why: `${host} did not answer in time` }
  return { status: 502, why: classifyFailure(error, host, step).message }
}

/** Ends a connection with the refusal as plain text. */
export function sendRefusal(socket: Socket, refusal: Refusal): void {
  if (socket.destroyed || !socket.writable) return
  const text = toText(refusal)
  const head = [
    `HTTP/1.1 ${refusal.status} ${STATUS_CODES[refusal.status] ?? 'Refused'}`,
    ...Object.entries(headersOf(text)).map(([name, value]) => `${name}: ${value}`),
  ]
  socket.end(`${head.join('\r\n')}\r\n\r\n${text}`)
  linger(socket)
}

const lingerMs = 1_000

/**
 * Waits a moment for the end of the other side before the socket is closed, and drops what it still says: data that nobody has read
 * turns the close into an error there, and the answer could be lost.
 */
export function linger(socket: Socket): void {
  socket.setTimeout(0).resume()
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
}

/** The same for a request that Node's parser has read. */
export function respondRefusal(response: ServerResponse, refusal: Refusal): void {
  if (response.headersSent) {
    response.destroy()
    return
  }
  const text = toText(refusal)
  response.writeHead(refusal.status, headersOf(text)).end(text)
}

function toText({ why, advice }: Refusal): string {
  return `${[`Refused by Countersign: ${why}.`, advice].filter(Boolean).join(' ')}\n`
}

function headersOf(text: string): Readonly<Record<string, string | number>> {
  return {
    'content-type': 'text/plain; charset=utf-8',
    'content-length': Buffer.byteLength(text),
    connection: 'close',
  }
}
