import { createHmac } from 'node:crypto'
import { isRecord } from '../params.ts'
import type { AckOutcome, Delivery, DeliveryKind, Transport } from './transport.ts'

/** Where an app takes what Slack sends; Bolt takes all at one address. */
export interface RequestUrls {
  readonly events: string
  readonly interactivity: string
  readonly commands: string
}

/** Requests to the app's URLs, signed: https://docs.slack.dev/authentication/verifying-requests-from-slack */
export class HttpMode implements Transport {
  readonly #urls: RequestUrls
  readonly #secret: string
  readonly #now: () => number

  constructor(urls: RequestUrls, secret: string, now: () => number) {
    this.#urls = urls
    this.#secret = secret
    this.#now = now
  }

  async send(delivery: Delivery, timeoutMs: number): Promise<AckOutcome> {
    const { kind, payload, retry } = delivery
    const { url, body, type } = requestFor(this.#urls, kind, payload)
    const retried = retry !== undefined && {
      'x-slack-retry-num': String(retry.attempt),
      'x-slack-retry-reason': retry.reason,
    }
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'content-type': type, ...this.sign(body), ...retried },
        body,
        redirect: 'manual',
        signal: AbortSignal.timeout(timeoutMs),
      })
      const text = await response.text()
      if (response.ok) return { kind: 'acked', body: parsed(text) }
      const noRetry = response.headers.get('x-slack-no-retry') === '1'
      return { kind: 'failed', reason: 'http_error', noRetry }
    } catch (error) {
      const late = error instanceof Error && error.name === 'TimeoutError'
      return { kind: 'failed', reason: late ? 'http_timeout' : 'connection_failed' }
    }
  }

  /** The headers that prove a body to be Slack's. */
  sign(body: string, at = Math.floor(this.#now() / 1000)): Record<string, string> {
    const hash = createHmac('sha256', this.#secret).update(`v0:${at}:${body}`).digest('hex')
    return { 'x-slack-request-timestamp': String(at), 'x-slack-signature': `v0=${hash}` }
  }

  /** Whether the app answers Slack's question for its URL. */
  async verify(): Promise<boolean> {
    const challenge = crypto.randomUUID()
    const payload = {
      token: 'verification-token-of-the-stand-in',
      challenge,
      type: 'url_verification',
    }
    const outcome = await this.send(
      { kind: 'events_api', payload, acceptsResponse: true, retry: undefined },
      3000,
    )
    if (outcome.kind !== 'acked') return false
    const { body } = outcome
    return body === challenge || (isRecord(body) && body['challenge'] === challenge)
  }
}

function requestFor(
  urls: RequestUrls,
  kind: DeliveryKind,
  payload: Readonly<Record<string, unknown>>,
): { readonly url: string; readonly body: string; readonly type: string } {
  const form = 'application/x-www-form-urlencoded'
  switch (kind) {
    case 'events_api':
      return { url: urls.events, body: JSON.stringify(payload), type: 'application/json' }
    case 'interactive': {
      const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString()
      return { url: urls.interactivity, body, type: form }
    }
    case 'slash_commands': {
      const fields = Object.entries(payload).map(([name, value]) => [name, String(value)])
      const body = new URLSearchParams(Object.fromEntries(fields)).toString()
      return { url: urls.commands, body, type: form }
    }
  }
}

function parsed(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}
