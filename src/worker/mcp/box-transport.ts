import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Box } from '../../ports/sandbox.ts'
import { withinMs } from '../../util/abort.ts'
import { isDeeperThan } from '../../util/is-deeper-than.ts'
import { readLines } from '../box/executor-reply.ts'

/** Bytes of one message of a server. */
const maxLineBytes = 16 * 1024 * 1024
/** Messages and bytes a second; a server that sends more is not served any further. */
const maxLinesPerSecond = 2_000
const maxBytesPerSecond = 2 * maxLineBytes
/** Bytes of all pages of one list of tools. */
const maxListBytes = 16 * 1024 * 1024
/** Nesting of a message. */
const maxDepth = 500
/** Bytes that wait for a server that does not read. */
const maxWaitingBytes = 16 * 1024 * 1024
const closeMs = 2_000
const keptWords = 2_000

/**
 * MCP-04, MCP-08: the stdio transport to a server in a box. What the server sends is untrusted: a line that is too long or takes
 * too long, too many lines or bytes, and answers that it does not read end the box.
 */
export class BoxTransport implements Transport {
  readonly #box: Box
  /** Milliseconds from the first byte of a message to its last. */
  readonly #lineMs: number
  #second = { at: 0, lines: 0, bytes: 0 }
  #words = ''
  #whyEnded: string | undefined
  #late: NodeJS.Timeout | undefined
  /** Ids of requests for pages of the list being read, and the bytes of their answers. */
  #list = { ids: new Set<unknown>(), bytes: 0 }
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  constructor(box: Box, lineMs: number) {
    this.#box = box
    this.#lineMs = lineMs
  }

  async start(): Promise<void> {
    const { stdin, stdout, stderr, exited } = this.#box
    stderr.on('data', (chunk) => {
      this.#words = (this.#words + String(chunk)).slice(-keptWords)
    })
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined)
    const tooLong = () => this.#end(`it sent more than ${maxLineBytes} bytes in one message`)
    stdout.on('data', (chunk: Buffer) => this.#watch(chunk))
    readLines(stdout, maxLineBytes, (line) => this.#take(line), tooLong)
    void exited.then(() => {
      clearTimeout(this.#late)
      this.onclose?.()
    })
  }

  /** Why this ended the box; undefined if it did not. */
  get whyEnded(): string | undefined {
    return this.#whyEnded
  }

  /** The end of what the server wrote to its standard error. */
  get lastWords(): string {
    return this.#words.trim().split('\n').at(-1)?.trim() ?? ''
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const { stdin } = this.#box
    if (!stdin.writable) throw new Error('the server has ended')
    if (stdin.writableLength > maxWaitingBytes) {
      this.#end('it does not read what it is sent')
      throw new Error('the server has ended')
    }
    this.#noteRequest(message)
    stdin.write(serializeMessage(message))
  }

  /** Closes the server's standard input, which should end it, and kills its box after a while. */
  async close(): Promise<void> {
    this.#box.stdin.end()
    await withinMs(this.#box.exited, closeMs, undefined)
    await this.#box.kill()
  }

  /** Bytes count as they come: those of a line that does not end, too. */
  #watch(chunk: Buffer): void {
    if (this.#whyEnded !== undefined) return
    const second = this.#thisSecond()
    second.bytes += chunk.length
    if (second.bytes > maxBytesPerSecond)
      this.#end(`it sent more than ${maxBytesPerSecond} bytes a second`)
    if (chunk.includes(10)) {
      clearTimeout(this.#late)
      this.#late = undefined
    }
    if (chunk.at(-1) === 10 || this.#late !== undefined) return
    const tooSlow = () => this.#end(`it took more than ${this.#lineMs} ms for one message`)
    this.#late = setTimeout(tooSlow, this.#lineMs).unref()
  }

  #take(line: string): void {
    if (this.#whyEnded !== undefined || line.trim() === '') return
    const second = this.#thisSecond()
    second.lines += 1
    if (second.lines > maxLinesPerSecond) {
      this.#end(`it sent more than ${maxLinesPerSecond} messages a second`)
      return
    }
    let message: JSONRPCMessage
    try {
      message = deserializeMessage(line)
    } catch {
      // Some servers print notes for people on their standard output.
      this.onerror?.(new Error('a line of the server is no message'))
      return
    }
    if (this.#isListTooLong(message, line.length)) {
      this.#end(`its list of tools has more than ${maxListBytes} bytes`)
      return
    }
    if (line.length > maxDepth && isDeeperThan(message, maxDepth)) this.#refuse(message)
    else this.onmessage?.(message)
  }

  /** The client reads messages recursively: one that is too deep is answered for the server, or dropped. */
  #refuse(message: JSONRPCMessage): void {
    if ('method' in message || message.id === undefined) return
    const error = { code: -32_700, message: 'its answer is nested too deeply' }
    this.onmessage?.({ jsonrpc: '2.0', id: message.id, error })
  }

  #thisSecond() {
    const at = Math.floor(performance.now() / 1_000)
    if (this.#second.at !== at) this.#second = { at, lines: 0, bytes: 0 }
    return this.#second
  }

  #noteRequest(message: JSONRPCMessage): void {
    if (!('method' in message && 'id' in message && message.method === 'tools/list')) return
    // A request without a cursor is for the first page.
    if (message.params?.['cursor'] === undefined) this.#list = { ids: new Set(), bytes: 0 }
    this.#list.ids.add(message.id)
  }

  #isListTooLong(message: JSONRPCMessage, length: number): boolean {
    if ('method' in message || !this.#list.ids.has(message.id)) return false
    this.#list.bytes += length
    return this.#list.bytes > maxListBytes
  }

  #end(why: string): void {
    if (this.#whyEnded !== undefined) return
    this.#whyEnded = why
    clearTimeout(this.#late)
    this.onerror?.(new Error(why))
    void this.#box.kill().catch(() => undefined)
  }
}
