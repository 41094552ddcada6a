import type { Config } from '../../config/config.ts'
import type { Secret } from '../../config/secrets.ts'
import { CommandError } from '../../domain/command-error.ts'
import type { GatewaySide } from '../../gateway/gateway-side.ts'
import type { TelegramDoor } from '../../gateway/telegram-door.ts'
import { whoMayTalk } from '../../gateway/who-may-talk.ts'
import { untilAborted } from '../../util/abort.ts'
import { type ProcessOptions, say } from '../settings/process-options.ts'

export interface ReceiveOptions extends ProcessOptions {
  readonly gateway: GatewaySide
  readonly door: TelegramDoor
}

/** Chat platform that is served until disposed. */
interface ServedChat extends AsyncDisposable {
  /** Settles when receiving ends; rejects if the platform refuses a token. */
  readonly received: Promise<void>
}

/** Serves the chat platforms with a token until the process is asked to end. Throws CommandError if a token is refused. */
export async function receiveUntilEnd(options: ReceiveOptions): Promise<void> {
  const { config, signal, gateway } = options
  await using resources = new AsyncDisposableStack()
  const served: ServedChat[] = []
  const { telegramBotToken, slackBotToken } = config.secrets
  if (telegramBotToken !== undefined)
    served.push(resources.use(await startTelegram(options, telegramBotToken)))
  if (slackBotToken !== undefined) served.push(resources.use(await startSlack(options)))
  say(options, ...(await whoMayTalk(gateway.ctx.db, config)))
  if (signal.aborted) return
  await Promise.race([
    untilAborted(signal),
    ...served.map(({ received }) => received.catch(refuse)),
  ])
}

/** True if a chat platform is configured. */
export function hasChat({ secrets }: Config): boolean {
  return secrets.telegramBotToken !== undefined || secrets.slackBotToken !== undefined
}

async function startTelegram(options: ReceiveOptions, token: Secret): Promise<ServedChat> {
  const { config, gateway, door, log } = options
  say(options, 'Telegram: connecting …')
  const { serveTelegram } = await import('../../gateway/serve-telegram.ts')
  const how = config.telegram.webhookUrl === undefined ? 'long polling' : 'webhook'
  return serveTelegram({
    gateway,
    door,
    config,
    token,
    log,
    onReceiving: ({ username: name }) =>
      say(
        options,
        `Telegram: @${name} is ready (${how}). Write to https://t.me/${name}. Ctrl-C ends.`,
      ),
    onTrouble: (why) => say(options, `Telegram: ${why}`),
  })
}

async function startSlack(options: ReceiveOptions): Promise<ServedChat> {
  const { config, gateway, log } = options
  say(options, 'Slack: connecting …')
  const { serveSlack } = await import('../../gateway/serve-slack.ts')
  return serveSlack({
    gateway,
    config,
    log,
    onReceiving: ({ name, team }) =>
      say(options, `Slack: @${name} is ready in ${team} (${config.slack.mode}). Ctrl-C ends.`),
    onListening: (port) => say(options, `Slack: listening on port ${port}, at /slack/events.`),
    onTrouble: (why) => say(options, `Slack: ${why}`),
  })
}

/** Turns errors that the operator can fix into CommandErrors; others are rethrown. */
function refuse(error: unknown): never {
  if (error instanceof Error && correctable.has(error.name))
    throw new CommandError(error.message, { cause: error })
  throw error
}

const correctable: ReadonlySet<string> = new Set(['TokenRefused', 'NoBotApi', 'SlackRefused'])
