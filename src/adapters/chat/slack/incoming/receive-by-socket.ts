import { type App, SocketModeReceiver, webApi } from '@slack/bolt'
import { z } from 'zod'
import { orTimeout, unlessAborted } from '../../../../util/abort.ts'
import type { Log } from '../../../../util/log.ts'
import { tryParseJson } from '../../../../util/text/try-parse-json.ts'
import { createBackoff } from '../../incoming/backoff.ts'
import { clientOptions, silentLogger } from '../api.ts'
import { SlackRefused } from '../connect.ts'
import { toDelivery } from '../outgoing/to-delivery.ts'
import type { ReceiveOptions } from './receive-options.ts'

export interface SocketOptions extends ReceiveOptions {
  /** `xapp-…`, with `connections:write`. */
  readonly appToken: string
  readonly apiUrl?: string | undefined
}

const startMs = 30_000
const callMs = 20_000
/** Slack closes unwanted connections at once, and all others from time to time. */
const shortLifeMs = 5_000
/** Errors of Socket Mode for which retrying does not help. */
const refusals: Readonly<Record<string, string>> = {
  not_allowed_token_type: 'SLACK_APP_TOKEN must be an app-level token (xapp-…)',
  invalid_auth: 'Slack refused the app-level token: check SLACK_APP_TOKEN',
  not_authed: 'Slack refused the app-level token: check SLACK_APP_TOKEN',
  token_revoked: 'the app-level token was revoked: set a new SLACK_APP_TOKEN',
  missing_scope: 'the app-level token lacks connections:write: make another SLACK_APP_TOKEN',
  forbidden_team: 'the workspace does not let this app in',
  socket_mode_not_enabled: 'Socket Mode is off: switch it on in the settings of the Slack app',
}

/**
 * Receives payloads over Socket Mode until the signal aborts (SLACK-01). Bolt's own reconnecting is disabled, as without a
 * network its unhandled rejection ends the process. Slack delivers unconfirmed payloads again, or to another connection.
 */
export async function receiveBySocket(options: SocketOptions): Promise<void> {
  const { signal, onReceiving, onFailure } = options
  const backoff = createBackoff({ ...options, what: 'slack: Socket Mode' })
  while (!signal.aborted) {
    try {
      const { durationMs, hasServed } = await receiveOnce(options, onReceiving)
      if (signal.aborted) return
      if (durationMs < shortLifeMs && !hasServed) await backoff.wait('connections close at once')
      else backoff.succeeded()
    } catch (error) {
      if (signal.aborted) return
      const why = failureReason(error)
      onFailure(`no connection yet (${why}); trying on.`)
      await backoff.wait(why, waitOf(error))
    }
  }
}

/** Lifetime of a connection in milliseconds, and whether anything arrived. */
interface ConnectionLife {
  readonly durationMs: number
  readonly hasServed: boolean
}

/** Receives over one connection, until it closes or the signal aborts. */
async function receiveOnce(options: SocketOptions, onOpen: () => void): Promise<ConnectionLife> {
  const { signal } = options
  let hasServed = false
  const take: SocketOptions['take'] = (handed) => {
    hasServed = true
    return options.take(handed)
  }
  const receiver = createReceiver({ ...options, take })
  const closed = new Promise<void>((resolve) => {
    receiver.client.on('disconnected', () => resolve())
  })
  let isOver = false
  const started = receiver.start().then(() => {
    // The connection opened after the wait for it had ended.
    if (isOver) close(receiver)
  })
  try {
    await orTimeout(unlessAborted(started, signal, undefined), startMs)
    if (signal.aborted) return { durationMs: 0, hasServed }
    const openedAt = performance.now()
    onOpen()
    await unlessAborted(closed, signal, undefined)
    return { durationMs: performance.now() - openedAt, hasServed }
  } finally {
    isOver = true
    close(receiver)
  }
}

function createReceiver(options: SocketOptions): SocketModeReceiver {
  const { appToken, apiUrl } = options
  const receiver = new SocketModeReceiver({
    appToken,
    autoReconnectEnabled: false,
    logger: silentLogger,
    installerOptions: { clientOptions: clientOptions({ apiUrl, timeoutMs: callMs }) },
    processEventErrorHandler: async () => false,
  })
  receiver.init(toApp(options))
  refuseUnreadable(receiver, options.log)
  return receiver
}

/** Frames of Socket Mode (https://docs.slack.dev/apis/events-api/using-socket-mode), as far as Bolt's client reads them. */
const frame = z.union([
  z.object({
    type: z.literal('events_api'),
    payload: z.object({ event: z.object({ type: z.string() }) }),
  }),
  z.object({ type: z.string().regex(/^(?!events_api$)/) }),
])

/**
 * Drops frames that Bolt's client cannot read, as its unhandled rejection would end the process. The client emits each frame
 * under the frame's type, so types that it listens to itself are dropped as well.
 */
function refuseUnreadable({ client: socket }: SocketModeReceiver, log: Log): void {
  const readers = socket.listeners('ws_message')
  socket.removeAllListeners('ws_message')
  socket.on('ws_message', (data: unknown, isBinary: unknown) => {
    const type = typeof data === 'string' ? emittedType(data) : undefined
    if (type === undefined || socket.eventNames().includes(type)) {
      log.warn({}, 'slack: malformed frame dropped')
    } else {
      for (const read of readers) read(data, isBinary)
    }
  })
}

function emittedType(text: string): string | undefined {
  const { data } = frame.safeParse(tryParseJson(text))
  return data !== undefined && 'payload' in data ? data.payload.event.type : data?.type
}

/** Stops twice: the second call does not wait for Slack's close frame. */
function close(receiver: SocketModeReceiver): void {
  void receiver.stop()
  void receiver.stop()
}

const attempt = z.int().nonnegative().optional().catch(undefined)

/** The part of an app that Bolt's receiver uses: it passes payloads on, and confirms those that were taken. */
function toApp({ take }: SocketOptions): App {
  const app: Pick<App, 'processEvent'> = {
    processEvent: async ({ body, retryNum, ack }) => {
      const taken = await take({ body, retryNum: attempt.parse(retryNum) })
      if (taken.kind === 'done') await ack()
    },
  }
  return app as App
}

function failureReason(error: unknown): string {
  const code = error instanceof webApi.WebAPIPlatformError ? error.data.error : undefined
  const refused = code === undefined ? undefined : refusals[code]
  if (refused !== undefined) throw new SlackRefused(refused, { cause: error })
  try {
    const failed = toDelivery(error)
    return failed.kind === 'moved' ? failed.kind : failed.why
  } catch {
    return error instanceof DOMException ? error.name : 'the connection failed'
  }
}

function waitOf(error: unknown): number {
  return error instanceof webApi.WebAPIRateLimitedError ? error.retryAfter * 1_000 : 0
}
