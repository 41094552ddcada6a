import {
  deserializeMessage,
  type JSONRPCMessage,
  serializeMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Box } from '../../ports/sandbox.ts'
import { withinMs } from '../../util/abort.ts'
import { readLines } from '../box/executor-reply.ts'

/** Bytes of one message of a server. */
const maxLineBytes = 16 * 1024 * 1024
/** Messages a second; a server that sends more is not served any further. */
const maxLinesPerSecond = 2_000
const closeMs = 2_000
const keptWords = 2_000

/**
 * MCP-04: the stdio transport to a server in a box. What the server says is untrusted: a line that is too long or no message, or
 * too many lines, end the box.
 */
export class BoxTransport implements Transport {
  readonly #box: Box
  #second = { at: 0, lines: 0 }
  #words = ''
  onclose?: () => void
  onerror?: (error: Error) => void
  onmessage?: (message: JSONRPCMessage) => void

  constructor(box: Box) {
    this.#box = box
  }

  async start(): Promise<void> {
    const { stdin, stdout, stderr, exited } = this.#box
    stderr.on('data', (chunk) => {
      this.#words = (this.#words + String(chunk)).slice(-keptWords)
    })
    for (const stream of [stdin, stdout, stderr]) stream.on('error', () => undefined)
    const tooLong = () => this.#end(`it sent more than ${maxLineBytes} bytes in one message`)
    readLines(stdout, maxLineBytes, (line) => this.#take(line), tooLong)
    void exited.then(() => this.onclose?.())
  }

  /** The end of what the server wrote to its standard error. */
  get lastWords(): string {
    return this.#words.trim().split('\n').at(-1)?.trim() ?? ''
  }

  async send(message: JSONRPCMessage): Promise<void> {
    if (!this.#box.stdin.writable) throw new Error('the server has ended')
    this.#box.stdin.write(serializeMessage(message))
  }

  /** Closes the server's standard input, which should end it, and kills its box after a while. */
  async close(): Promise<void> {
    this.#box.stdin.end()
    await withinMs(this.#box.exited, closeMs, undefined)
    await this.#box.kill()
  }

  #take(line: string): void {
    if (line.trim() === '') return
    if (this.#isFlood()) {
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
    this.onmessage?.(message)
  }

  #isFlood(): boolean {
    const at = Math.floor(performance.now() / 1_000)
    if (this.#second.at !== at) this.#second = { at, lines: 0 }
    this.#second.lines += 1
    return this.#second.lines > maxLinesPerSecond
  }

  #end(why: string): void {
    this.onerror?.(new Error(why))
    void this.#box.kill().catch(() => undefined)
  }
}
