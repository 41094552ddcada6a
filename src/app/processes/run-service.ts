import type { Check } from '../../adapters/http/health-route.ts'
import type { MetricsText } from '../../adapters/http/metrics-route.ts'
import { rulesWarnings } from '../../agent/announce-agent.ts'
import type { Config } from '../../config/config.ts'
import { warningIn } from '../../core/approval/build-card.ts'
import { retryThroughOutage } from '../../core/transaction.ts'
import { english, type Messages } from '../../domain/messages/messages.ts'
import { createTelegramWebhook, type TelegramWebhook } from '../../gateway/telegram-webhook.ts'
import type { Log } from '../../util/log.ts'
import { idleSections } from '../idle-sections.ts'
import { observe } from '../logs/observe.ts'
import { describeModels } from '../open-models.ts'
import { type BegunProduct, beginProduct, type Product } from '../open-product.ts'
import { type ProcessOptions, say } from '../settings/process-options.ts'
import { idleRules } from '../unknown-tools.ts'
import { approvalWarnings } from './approval-warnings.ts'
import { checkQueue } from './check-state.ts'
import { type ReceiveOptions, receiveUntilEnd } from './receive-until-end.ts'
import { untilWorking } from './until-working.ts'
import { checkDatabase, watchDatabaseState, watchQueues } from './watch-database-state.ts'

/** Runs the product as a service for the configured chat platforms until it is asked to end. */
export async function runService(options: ProcessOptions): Promise<number> {
  const { config, environment, log, embedded } = options
  await using observation = await observe({ config, log, process: 'start' })
  const { observer, metrics } = observation
  await using product = await beginProduct({ config, environment, log, observer, embedded })
  watchDatabaseState(metrics, product.ctx.db)
  watchQueues(metrics, product.queue, product.ctx.db, config.worker.name)
  const telegramWebhook = createTelegramWebhook()
  await using resources = new AsyncDisposableStack()
  let isWorking = false
  const sandbox = async () => (isWorking ? undefined : 'it is being tried')
  const serve = async () =>
    resources.use(await serveRoutes({ config, log, metrics, product, telegramWebhook, sandbox }))
  // Where it must be served, a taken address ends the start before people are heard.
  const isNeeded = config.http.listen !== undefined || config.telegram.webhookUrl !== undefined
  if (isNeeded) await serve()
  // People are heard while the rest opens.
  await using receiving = receive({ ...options, gateway: product, telegramWebhook })
  const opened = await Promise.race([untilWorking(product, options.signal), receiving.ended])
  if (opened === undefined) return 0
  isWorking = true
  const greeting = () => greetingLines({ ...product, ...opened }, config)
  const lines = await Promise.race([retryThroughOutage(greeting), receiving.ended])
  if (lines === undefined) return 0
  say(options, ...lines)
  if (!isNeeded) await serve()
  await receiving.ended
  return 0
}

interface RouteOptions {
  readonly config: Config
  readonly log: Log
  readonly metrics: MetricsText
  readonly product: BegunProduct
  readonly telegramWebhook: TelegramWebhook
  /** Whether tools can run yet. */
  readonly sandbox: Check
}

/** Serves health, metrics, the API and the webhook until it is disposed of. */
async function serveRoutes(options: RouteOptions): Promise<AsyncDisposable> {
  const { config, log, metrics, product, telegramWebhook, sandbox } = options
  const { queue, bus, ctx } = product
  // By need, as loading them takes as long as opening the gateway.
  const [{ createApi }, { serveHttp }] = await Promise.all([
    import('../../gateway/create-api.ts'),
    import('./serve-http.ts'),
  ])
  await using resources = new AsyncDisposableStack()
  const api = resources.use(await createApi({ ctx, config, bus }))
  const checks = { database: checkDatabase(ctx.db), queue: checkQueue(queue), sandbox }
  const routes = [telegramWebhook.route, ...api.routes]
  resources.use(await serveHttp({ config, log, checks, metrics, routes }))
  resources.use(api.feeds)
  return resources.move()
}

/** Receives until the process is asked to end, or this is disposed of. */
function receive(options: ReceiveOptions): AsyncDisposable & { readonly ended: Promise<void> } {
  const stopping = new AbortController()
  const signal = AbortSignal.any([options.signal, stopping.signal])
  const ended = receiveUntilEnd({ ...options, signal })
  const settled = ended.catch(() => undefined)
  return {
    ended,
    [Symbol.asyncDispose]: () => {
      stopping.abort(new Error('the product ends'))
      return settled
    },
  }
}

/**
 * Returns the start message: what runs here, and warnings about safety. Given the `messages` of a terminal it is for a person who
 * chats there; otherwise it is for operators, in English as the log.
 */
export async function greetingLines(
  product: Product,
  config: Config,
  messages?: Messages,
): Promise<readonly string[]> {
  const { ctx, driver, sandbox } = product
  const { status, terminal } = messages ?? english
  const ofRules = await rulesWarnings(messages ?? english, ctx.permissions, config.worker.name)
  const ofApprovals = await approvalWarnings(ctx.db, config)
  return [
    messages === undefined
      ? `Model: ${describeModels(ctx)}. Sandbox: ${sandbox}.`
      : terminal.start({ models: describeModels(ctx, messages), sandbox: driver.name }),
    ...(messages !== undefined && ctx.model.provider === 'offline' ? [terminal.offline] : []),
    ...[
      ...driver.warnings.map((warning) => `${warningIn(messages ?? english, warning)}.`),
      ...[...ofRules, ...ofApprovals, ...idleRules(config), ...idleSections(config)],
    ].map((warning) => status.warning({ warning })),
  ]
}
