import { findConversation } from '../../src/db/turn/conversations.ts'
import type { ServedChat } from '../../src/gateway/chat-service.ts'
import { serveSlack } from '../../src/gateway/serve-slack.ts'
import { silentLog } from '../../src/util/log.ts'
import { createFlow, type Flow, type FlowOptions, until } from './flow.ts'
import { createSlack, type SlackOptions, type SlackStandIn } from './slack/slack.ts'

export interface SlackFlowOptions extends FlowOptions {
  readonly slack?: SlackOptions
  /** Instead of one of its own: an earlier flow's. */
  readonly standIn?: SlackStandIn
}

/** The whole product in this process, serving Slack's stand-in by Socket Mode, or by HTTP where `COUNTERSIGN_SLACK_MODE` says so. */
export interface SlackFlow extends Flow {
  readonly slack: SlackStandIn
  readonly served: ServedChat
  /** Where it listens, in `http` mode. */
  readonly port: number | undefined
  /** Waits until nothing but questions is under way in a conversation, and all is delivered. */
  settled(place: string): Promise<void>
}

export async function createSlackFlow(options: SlackFlowOptions): Promise<SlackFlow> {
  const resources = new AsyncDisposableStack()
  const slack = options.standIn ?? resources.use(await createSlack(options.slack))
  const settings = {
    SLACK_BOT_TOKEN: slack.botToken,
    SLACK_APP_TOKEN: slack.appToken,
    SLACK_SIGNING_SECRET: slack.signingSecret,
    SLACK_API_URL: slack.apiUrl,
    COUNTERSIGN_SLACK_PORT: '0',
    ...options.settings,
  }
  const flow = resources.use(await createFlow({ ...options, settings }))
  const { product, config } = flow
  const log = options.log ?? silentLog
  const ports: number[] = []
  const receiving = Promise.withResolvers<void>()
  const served = resources.use(
    await serveSlack({
      gateway: product,
      config,
      log,
      onReceiving: () => receiving.resolve(),
      onListening: (port) => {
        ports.push(port)
        slack.useHttp(`http://127.0.0.1:${port}/slack/events`)
      },
    }),
  )
  await Promise.race([receiving.promise, served.received])
  return Object.assign(flow, {
    slack,
    served,
    port: ports[0],
    settled: async (place: string) => {
      await until('the chat is known', async () => (await roomOf(flow, place)) !== undefined)
      await flow.quietOf((await roomOf(flow, place)) ?? '')
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  })
}

async function roomOf(flow: Flow, place: string): Promise<string | undefined> {
  return (await findConversation(flow.db, 'slack', place))?.id
}
