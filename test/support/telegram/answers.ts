import type { ServerResponse } from 'node:http'
import type { Refusal } from './limits/refusal.ts'
import { Described } from './methods/method.ts'

/** A result without the words that go with it. */
export function bare(result: unknown): unknown {
  return result instanceof Described ? result.result : result
}

export function answerResult(response: ServerResponse, result: unknown): void {
  const description = result instanceof Described ? { description: result.description } : {}
  answerJson(response, 200, { ok: true, result: bare(result), ...description })
}

export function answerRefusal(response: ServerResponse, refusal: Refusal): void {
  if (refusal.message === '') {
    response.writeHead(refusal.code, { 'content-type': 'text/html' })
    response.end(`<html><body><h1>${refusal.code}</h1></body></html>`)
    return
  }
  const retryAfter = refusal.parameters?.retry_after
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter))
  answerJson(response, refusal.code, {
    ok: false,
    error_code: refusal.code,
    description: refusal.message,
    ...(refusal.parameters !== undefined && { parameters: refusal.parameters }),
  })
}

function answerJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json' })
  response.end(JSON.stringify(body))
}
