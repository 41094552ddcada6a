import { serveSlack } from '../../src/gateway/serve-slack.ts'
import { silentLog } from '../../src/util/log.ts'
import { createSlack, type SlackStandIn } from '../../test/support/slack/slack.ts'
import type { SlackUser } from '../../test/support/slack/users.ts'
import type { BenchModel } from './bench-model.ts'
import { openBench } from './open-bench.ts'

/** The whole product in this process, with a stand-in of Slack beside it, by Socket Mode. */
export interface SlackBench extends AsyncDisposable {
  readonly model: BenchModel
  readonly slack: SlackStandIn
  /** Who may talk, by the names that were asked for. */
  readonly people: readonly SlackUser[]
}

export async function openSlackBench(names: readonly string[]): Promise<SlackBench> {
  const resources = new AsyncDisposableStack()
  const slack = resources.use(await createSlack())
  const people = names.map((name, index) => slack.user(name, { id: `U0BENCH${1_000 + index}` }))
  const bench = resources.use(
    await openBench({
      SLACK_BOT_TOKEN: slack.botToken,
      SLACK_APP_TOKEN: slack.appToken,
      SLACK_API_URL: slack.apiUrl,
      COUNTERSIGN_SLACK_ALLOWED_USERS: people.map(({ id }) => id).join(','),
    }),
  )
  const receiving = Promise.withResolvers<void>()
  const { product: gateway, config, model } = bench
  const onReceiving = () => receiving.resolve()
  const served = resources.use(await serveSlack({ gateway, config, log: silentLog, onReceiving }))
  await Promise.race([receiving.promise, served.received])
  return { model, slack, people, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}
