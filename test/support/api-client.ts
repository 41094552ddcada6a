import type { ApprovalEvent } from '../../src/domain/approval-event.ts'
import { until } from './flow.ts'

/** What a stream was sent. */
export type Streamed = ApprovalEvent | { readonly type: 'ready'; readonly pending: number }

/** A stream of events as a program reads it. Disposing hangs up. */
export class EventReader implements AsyncDisposable {
  readonly seen: Streamed[] = []
  /** Everything that was not data. */
  readonly rest: string[] = []
  /** Resolves when the server has ended it. */
  readonly ended: Promise<void>
  readonly #ending = new AbortController()

  constructor(open: (signal: AbortSignal) => Promise<Response>) {
    this.ended = this.#read(open)
    this.ended.catch(() => undefined)
  }

  required(approvalId?: string) {
    return this.seen.filter(
      (event) =>
        event.type === 'tool_approval_required' &&
        (approvalId === undefined || event.approvalId === approvalId),
    ) as Extract<Streamed, { type: 'tool_approval_required' }>[]
  }

  resolved(approvalId?: string) {
    return this.seen.filter(
      (event) =>
        event.type === 'tool_approval_resolved' &&
        (approvalId === undefined || event.approvalId === approvalId),
    ) as Extract<Streamed, { type: 'tool_approval_resolved' }>[]
  }

  get isReady(): boolean {
    return this.seen.some(({ type }) => type === 'ready')
  }

  /** Waits until all that was open is told. */
  async ready(): Promise<this> {
    await until('the stream is ready', () => this.isReady)
    return this
  }

  /** Waits for the question about a session. */
  async question(sessionId: string) {
    const find = () => this.required().find((event) => event.sessionId === sessionId)
    await until('a question comes', () => find() !== undefined)
    const found = find()
    if (found === undefined) throw new Error('no question')
    return found
  }

  async end(approvalId: string) {
    await until('the question ends', () => this.resolved(approvalId).length > 0)
    const [found] = this.resolved(approvalId)
    if (found === undefined) throw new Error('no end')
    return found
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort()
    await this.ended.catch(() => undefined)
  }

  async #read(open: (signal: AbortSignal) => Promise<Response>): Promise<void> {
    const response = await open(this.#ending.signal)
    if (response.status !== 200) throw new Error(`no stream: ${response.status}`)
    let text = ''
    for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
      text += chunk
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      for (const block of blocks) this.#take(block)
    }
  }

  #take(block: string): void {
    const data = /^data: (.*)$/m.exec(block)?.[1]
    if (data === undefined) {
      this.rest.push(block)
      return
    }
    const event: Streamed = JSON.parse(data)
    const name = /^event: (.*)$/m.exec(block)?.[1]
    if (name !== event.type) throw new Error(`event ${name} holds ${event.type}`)
    this.seen.push(event)
  }
}

export interface ApiReply {
  readonly status: number
  readonly headers: Headers
  readonly body: { readonly applied?: boolean; readonly message?: string; readonly error?: string }
}

/** A program with a token, or what it takes for one. */
export class ApiClient {
  readonly #base: string
  readonly #token: string

  constructor(port: number, token: string) {
    this.#base = `http://127.0.0.1:${port}`
    this.#token = token
  }

  request(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers)
    if (!headers.has('Authorization')) headers.set('Authorization', `Bearer ${this.#token}`)
    return fetch(`${this.#base}${path}`, { ...init, headers })
  }

  async post(
    path: string,
    body: unknown,
    headers: Readonly<Record<string, string>> = {},
  ): Promise<ApiReply> {
    const response = await this.request(path, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...headers },
      body: typeof body === 'string' ? body : JSON.stringify(body),
    })
    const text = await response.text()
    return {
      status: response.status,
      headers: response.headers,
      body: text === '' ? {} : JSON.parse(text),
    }
  }

  approve(input: Readonly<Record<string, unknown>>): Promise<ApiReply> {
    return this.post('/v1/tool/approve', input)
  }

  deny(input: Readonly<Record<string, unknown>>): Promise<ApiReply> {
    return this.post('/v1/tool/deny', input)
  }

  events(): EventReader {
    return new EventReader((signal) => this.request('/v1/events', { signal }))
  }
}
