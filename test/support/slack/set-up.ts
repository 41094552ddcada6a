import { LogLevel, SocketModeReceiver, webApi } from '@slack/bolt'
import type { ChannelHandle } from './people/channel-handle.ts'
import { createSlack, type SlackOptions, type SlackStandIn } from './slack.ts'
import type { SlackUser } from './users.ts'

/** A stand-in with Ada in #general beside the app, and Bolt's Web API client for the app. */
export interface SetUp extends AsyncDisposable {
  readonly slack: SlackStandIn
  readonly web: webApi.WebClient
  readonly ada: SlackUser
  readonly general: ChannelHandle
  /** A call as it goes over the wire, for what Bolt's types forbid. */
  call(
    method: string,
    params?: Readonly<Record<string, unknown>>,
    token?: string,
  ): Promise<WireAnswer>
}

export interface WireAnswer extends Record<string, unknown> {
  readonly status: number
  readonly ok: boolean
  readonly error?: string
}

export async function setUp(options?: SlackOptions): Promise<SetUp> {
  const slack = await createSlack(options)
  const ada = slack.user('ada')
  return {
    slack,
    web: new webApi.WebClient(slack.botToken, {
      slackApiUrl: slack.apiUrl,
      retryConfig: { retries: 0 },
      rejectRateLimitedCalls: true,
      logLevel: LogLevel.ERROR,
      logger: silent,
    }),
    ada,
    general: slack.channel({ name: 'general', members: [ada] }),
    call: async (method, params = {}, token = slack.botToken) => {
      const response = await fetch(`${slack.apiUrl}${method}`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=utf-8',
          ...(token !== '' && { authorization: `Bearer ${token}` }),
        },
        body: JSON.stringify(params),
      })
      const body = (await response.json()) as Omit<WireAnswer, 'status'>
      return { ...body, status: response.status } as WireAnswer
    },
    [Symbol.asyncDispose]: () => slack[Symbol.asyncDispose](),
  }
}

/** Something that came over Socket Mode. */
export interface Heard {
  readonly type: string
  readonly body: Record<string, unknown>
  readonly retry: number | undefined
  ack(response?: unknown): Promise<void>
}

export interface Listener extends AsyncDisposable {
  readonly heard: readonly Heard[]
}

/** Bolt's own receiver on the stand-in. `hear` answers whether to acknowledge; it does unless told otherwise. */
export async function listenTo(
  slack: SlackStandIn,
  hear: (heard: Heard) => unknown = (heard) => heard.ack(),
): Promise<Listener> {
  const heard: Heard[] = []
  const { client } = new SocketModeReceiver({
    appToken: slack.appToken,
    logger: silent,
    // Bolt waits so long before it connects anew, and for a pong: less would fail on a busy machine.
    clientPingTimeout: 1000,
    installerOptions: { clientOptions: { slackApiUrl: slack.apiUrl } },
  })
  client.on('slack_event', (event: Record<string, unknown>) => {
    const one = {
      type: String(event['type']),
      body: event['body'] as Record<string, unknown>,
      retry: event['retry_num'] as number | undefined,
      ack: event['ack'] as Heard['ack'],
    }
    heard.push(one)
    hear(one)
  })
  await client.start()
  return {
    heard,
    [Symbol.asyncDispose]: async () => {
      await client.disconnect()
    },
  }
}

const nothing = () => undefined
const silent = {
  debug: nothing,
  info: nothing,
  warn: nothing,
  error: nothing,
  setLevel: nothing,
  getLevel: () => LogLevel.ERROR,
  setName: nothing,
}
