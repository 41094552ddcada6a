import type { ServerResponse } from 'node:http'
import { Refusal } from './limits/refusal.ts'

export interface Answer {
  /** A result, or a Refusal. */
  readonly result: unknown
  readonly scopes: readonly string[]
  readonly accepted: readonly string[]
}

export function sendAnswer(response: ServerResponse, answer: Answer): void {
  const { result, scopes, accepted } = answer
  response.setHeader('x-oauth-scopes', scopes.join(','))
  if (accepted.length > 0) response.setHeader('x-accepted-oauth-scopes', accepted.join(','))
  if (!(result instanceof Refusal)) {
    sendJson(response, 200, { ok: true, ...(result as object) })
    return
  }
  const { status, message, details, retryAfter } = result
  if (retryAfter !== undefined) response.setHeader('retry-after', String(retryAfter))
  if (status >= 500) sendPage(response, status)
  else sendJson(response, status, { ok: false, error: message, ...details })
}

export function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'application/json; charset=utf-8' })
  response.end(JSON.stringify(body))
}

/** As of a proxy in between. */
export function sendPage(response: ServerResponse, status: number, words = `${status}`): void {
  if (response.destroyed) return
  response.writeHead(status, { 'content-type': 'text/html; charset=utf-8' })
  response.end(`<!DOCTYPE html><html><body><h1>${words}</h1></body></html>`)
}
