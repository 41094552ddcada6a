import type { IncomingMessage, ServerResponse } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { sendAnswer, sendPage } from './answers.ts'
import { authorize } from './authorize.ts'
import { type ReadCall, readCall } from './body.ts'
import type { Fault } from './limits/faults.ts'
import { Refusal, rateLimited } from './limits/refusal.ts'
import type { Method } from './methods/method.ts'
import { findMethod } from './methods/method-table.ts'
import { Params } from './params.ts'
import type { OpenCall, Outcome } from './request-log.ts'
import type { ServerParts } from './server.ts'

/** Answers one call of the Web API. */
export async function answerCall(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
): Promise<void> {
  const name = url.pathname.slice('/api/'.length)
  const read = await readCall(request, url).catch(asRefusal)
  const call = logCall(parts, name, read)
  const fault = parts.faultFor({ method: name, params: call.params, index: parts.log.length - 1 })
  if (fault?.kind === 'hang') return
  if (fault?.kind === 'delay') await delay(fault.ms, undefined, { ref: false })
  const method = findMethod(name)
  const result = fault?.kind === 'drop-before' ? undefined : run(parts, name, method, read, fault)
  call.outcome = outcomeOf(result, fault)
  parts.world.changed()
  if (call.outcome.kind === 'dropped') response.destroy()
  else if (call.outcome.kind === 'garbled') sendPage(response, 200, 'bad gateway')
  else {
    const scopes = [...parts.world.app.scopes]
    sendAnswer(response, { result, scopes, accepted: method?.scopes ?? [] })
  }
}

function logCall(parts: ServerParts, method: string, read: ReadCall | Refusal): OpenCall {
  const given = read instanceof Refusal ? undefined : read
  const call: OpenCall = {
    method,
    token: given?.token,
    params: { ...given?.params.all },
    at: parts.world.now(),
    outcome: { kind: 'pending' },
  }
  parts.log.push(call)
  return call
}

/** Carries the call out, unless a fault or a limit says otherwise. */
function run(
  parts: ServerParts,
  name: string,
  method: Method | undefined,
  read: ReadCall | Refusal,
  fault: Fault | undefined,
): unknown {
  const { world, guard, sockets } = parts
  try {
    if (method === undefined) throw new Refusal('unknown_method', { req_method: name })
    if (read instanceof Refusal) throw read
    const { channel } = read.params.all
    guard.check(name, method, channel, world.now())
    if (fault?.kind === '429') {
      guard.close(name, method, channel, world.now(), fault.retryAfter)
      throw rateLimited(fault.retryAfter)
    }
    refuseAsAsked(fault)
    authorize(world.app, method, read.token)
    const params = new Params(read.params.all)
    return method.run({ world, app: world.app, params, sockets })
  } catch (error) {
    return asRefusal(error)
  }
}

function refuseAsAsked(fault: Fault | undefined): void {
  if (fault?.kind === 'status') throw new Refusal('', {}, { status: fault.code })
  if (fault?.kind === 'error') throw new Refusal(fault.error)
}

function outcomeOf(result: unknown, fault: Fault | undefined): Outcome {
  if (fault?.kind === 'drop-before') return { kind: 'dropped', done: false }
  if (fault?.kind === 'drop-after') return { kind: 'dropped', done: !(result instanceof Refusal) }
  if (result instanceof Refusal) {
    return { kind: 'refused', status: result.status, error: result.message }
  }
  return fault?.kind === 'garbled' ? { kind: 'garbled' } : { kind: 'ok', result }
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}
