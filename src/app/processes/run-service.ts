import { rulesWarnings } from '../../agent/announce-agent.ts'
import type { Config } from '../../config/config.ts'
import { createApi } from '../../gateway/create-api.ts'
import { createTelegramWebhook } from '../../gateway/telegram-webhook.ts'
import { idleSections } from '../idle-sections.ts'
import { observe } from '../logs/observe.ts'
import { describeModels } from '../open-models.ts'
import { openProduct, type Product } from '../open-product.ts'
import { type ProcessOptions, say } from '../settings/process-options.ts'
import { idleRules } from '../unknown-tools.ts'
import { approvalWarnings } from './approval-warnings.ts'
import { checkQueue } from './check-state.ts'
import { receiveUntilEnd } from './receive-until-end.ts'
import { serveHttp } from './serve-http.ts'
import { checkDatabase, watchDatabaseState, watchQueues } from './watch-database-state.ts'

/** Runs the product as a service for the configured chat platforms until it is asked to end. */
export async function runService(options: ProcessOptions): Promise<number> {
  const { config, environment, log } = options
  await using observation = await observe({ config, log, process: 'start' })
  const { observer, metrics } = observation
  await using product = await openProduct({ config, environment, log, observer })
  say(options, ...(await greetingLines(product, config, 'elsewhere')))
  const telegramWebhook = createTelegramWebhook()
  const { queue, bus, ctx } = product
  const { db } = ctx
  watchDatabaseState(metrics, db)
  watchQueues(metrics, queue, db, config.worker.name)
  const checks = { database: checkDatabase(db), queue: checkQueue(queue) }
  await using api = await createApi({ ctx, config, bus })
  const routes = [telegramWebhook.route, ...api.routes]
  await using _http = await serveHttp({ config, log, checks, metrics, routes })
  using _feeds = api.feeds
  await receiveUntilEnd({ ...options, gateway: product, telegramWebhook })
  return 0
}

/**
 * Returns the start message: what runs here, and warnings about safety. `chat` is where it is read, since commands can
 * only be typed in a terminal.
 */
export async function greetingLines(
  product: Product,
  config: Config,
  chat: 'terminal' | 'elsewhere' = 'terminal',
): Promise<readonly string[]> {
  const { ctx, driver, sandbox } = product
  const ofRules = await rulesWarnings(ctx.permissions, config.worker.name)
  const ofApprovals = await approvalWarnings(ctx.db, config)
  return [
    `Model: ${describeModels(ctx)}. Sandbox: ${sandbox}.${chat === 'terminal' ? ' /help lists the commands.' : ''}`,
    ...driver.warnings.map((warning) => `Warning: ${warning}.`),
    ...[...ofRules, ...ofApprovals, ...idleRules(config), ...idleSections(config)].map(
      (warning) => `Warning: ${warning}`,
    ),
  ]
}
