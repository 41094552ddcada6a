import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as delay } from 'node:timers/promises'
import { answerRefusal, answerResult, bare } from './answers.ts'
import { readParams } from './body.ts'
import type { BotState } from './bots.ts'
import type { Fault, IncomingCall } from './limits/faults.ts'
import type { RateGuard } from './limits/rate-limits.ts'
import { Refusal, tooManyRequests } from './limits/refusal.ts'
import { findMethod } from './methods/method-table.ts'
import type { Params } from './params.ts'
import type { OpenCall, Outcome } from './request-log.ts'
import type { World } from './world.ts'

export interface ServerParts {
  readonly world: World
  readonly guard: RateGuard
  readonly log: OpenCall[]
  faultFor(call: IncomingCall): Fault | undefined
}

/** Listens on a free port of 127.0.0.1. */
export async function listen(
  parts: ServerParts,
): Promise<{ readonly url: string } & AsyncDisposable> {
  const server = createServer((request, response) => {
    handle(parts, request, response).catch((error: unknown) => {
      response.destroy(error instanceof Error ? error : undefined)
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  return {
    url: `http://127.0.0.1:${port}`,
    async [Symbol.asyncDispose]() {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

async function handle(
  parts: ServerParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const url = new URL(request.url ?? '/', 'http://localhost')
  const [, file, token, rest] = /^(\/file)?\/bot([^/]+)\/(.+)$/.exec(url.pathname) ?? []
  if (token === undefined || rest === undefined || !/^\d+:/.test(token)) {
    return answerRefusal(response, new Refusal(404, 'Not Found'))
  }
  const bot = parts.world.bots.find((each) => each.token === decodeURIComponent(token))
  if (bot === undefined) return answerRefusal(response, new Refusal(401, 'Unauthorized'))
  if (file !== undefined) return download(parts, bot, decodeURIComponent(rest), response)
  const params = await readParams(request, url).catch((error: unknown) => asRefusal(error))
  if (params instanceof Refusal) return answerRefusal(response, params)
  await answerCall(parts, bot, rest, params, response)
}

/** Logged as the method `download`, and by that name a fault may be asked for. */
async function download(
  { world, log, faultFor }: ServerParts,
  { token }: BotState,
  path: string,
  response: ServerResponse,
): Promise<void> {
  const call: OpenCall = {
    token,
    method: 'download',
    params: { path },
    at: world.now(),
    outcome: { kind: 'pending' },
  }
  const fault = faultFor({ token, method: 'download', params: { path }, index: log.length })
  log.push(call)
  world.changed()
  if (fault?.kind === 'hang') return
  if (fault?.kind === 'delay') await delay(fault.ms, undefined, { ref: false })
  if (fault?.kind === 'drop-before' || fault?.kind === 'drop-after') {
    response.destroy()
    return
  }
  if (fault?.kind === 'status') {
    answerRefusal(response, new Refusal(fault.code, fault.description ?? ''))
    return
  }
  const file = [...world.files.values()].find((each) => each.path === path)
  if (file === undefined) {
    answerRefusal(response, new Refusal(404, 'Not Found'))
    return
  }
  response.writeHead(200, {
    'content-type': 'application/octet-stream',
    'content-length': file.bytes.length,
  })
  response.end(file.bytes)
  call.outcome = { kind: 'ok', result: file.bytes.length }
}

async function answerCall(
  parts: ServerParts,
  bot: BotState,
  method: string,
  params: Params,
  response: ServerResponse,
): Promise<void> {
  const { world, log } = parts
  const index = log.length
  const call: OpenCall = {
    token: bot.token,
    method,
    params: loggable(params),
    at: world.now(),
    outcome: { kind: 'pending' },
  }
  log.push(call)
  const fault = parts.faultFor({ token: bot.token, method, params: call.params, index })
  if (fault?.kind === 'hang') return
  if (fault?.kind === 'delay') await delay(fault.ms, undefined, { ref: false })
  const gone = goneSignal(response)
  const result =
    fault?.kind === 'drop-before' ? undefined : await run(parts, bot, method, params, fault, gone)
  call.outcome = outcomeOf(result, fault, gone)
  if (call.outcome.kind === 'dropped') response.destroy()
  else if (result instanceof Refusal) answerRefusal(response, result)
  else answerResult(response, result)
  world.changed()
}

function outcomeOf(result: unknown, fault: Fault | undefined, gone: AbortSignal): Outcome {
  if (fault?.kind === 'drop-before') return { kind: 'dropped', done: false }
  if (fault?.kind === 'drop-after') return { kind: 'dropped', done: !(result instanceof Refusal) }
  if (result instanceof Refusal) {
    return { kind: 'refused', code: result.code, description: result.message }
  }
  return gone.aborted ? { kind: 'gone' } : { kind: 'ok', result: bare(result) }
}

/** Carries the call out, unless a fault or a limit says otherwise. */
async function run(
  parts: ServerParts,
  bot: BotState,
  name: string,
  params: Params,
  fault: Fault | undefined,
  gone: AbortSignal,
): Promise<unknown> {
  const { world, guard } = parts
  const chatId = params.all['chat_id']
  try {
    guard.check(bot.token, name, chatId, world.now())
    if (fault?.kind === '429') {
      guard.close(bot.token, name, chatId, world.now(), fault.retryAfter)
      throw tooManyRequests(fault.retryAfter)
    }
    if (fault?.kind === 'status') throw new Refusal(fault.code, fault.description ?? '')
    return await callMethod(world, bot, name, params, gone)
  } catch (error) {
    return asRefusal(error)
  }
}

export async function callMethod(
  world: World,
  bot: BotState,
  name: string,
  params: Params,
  gone: AbortSignal,
): Promise<unknown> {
  const found = findMethod(name, world)
  if (found === undefined) throw new Refusal(404, 'Not Found: method not found')
  return await found.method({ world, bot, params, gone })
}

function asRefusal(error: unknown): Refusal {
  if (error instanceof Refusal) return error
  throw error
}

function goneSignal(response: ServerResponse): AbortSignal {
  const gone = new AbortController()
  response.on('close', () => {
    if (!response.writableFinished) gone.abort()
  })
  if (response.destroyed) gone.abort()
  return gone.signal
}

function loggable(params: Params): Readonly<Record<string, unknown>> {
  const files = [...params.files].map(([field, file]) => [
    field,
    { name: file.name, bytes: file.bytes.length },
  ])
  return { ...params.all, ...Object.fromEntries(files) }
}
