import { CommandError } from '../../domain/command-error.ts'
import type { ChatService } from '../../gateway/chat-service.ts'
import { chatServices } from '../../gateway/chat-services.ts'
import type { PlatformGateway } from '../../gateway/gateway-side.ts'
import type { TelegramWebhook } from '../../gateway/telegram-webhook.ts'
import { describeAccess } from '../../gateway/who-may-talk.ts'
import { untilAborted } from '../../util/abort.ts'
import { type ProcessOptions, say } from '../settings/process-options.ts'

export interface ReceiveOptions extends ProcessOptions {
  readonly gateway: PlatformGateway
  readonly telegramWebhook: TelegramWebhook
  /** Absent: the built-in ones. */
  readonly services?: readonly ChatService[]
}

/** Serves the configured chat platforms until the process is asked to end. Throws a CommandError when one refuses its token. */
export async function receiveUntilEnd(options: ReceiveOptions): Promise<void> {
  const { config, signal, gateway, telegramWebhook, log, services = chatServices } = options
  await using resources = new AsyncDisposableStack()
  const configured = services.filter((service) => service.isConfigured(config))
  const received: Promise<void>[] = []
  for (const service of configured) {
    const tell = (line: string): void => say(options, `${service.title}: ${line}`)
    tell('connecting …')
    const served = resources.use(
      await service.serve({ gateway, config, telegramWebhook, log, printLine: tell }),
    )
    const ending = served.received.catch((error: unknown) => refuse(service, error))
    // One may refuse before the race below hears of it; unheard, that would end the process without a word.
    ending.catch(() => undefined)
    received.push(ending)
  }
  const names = configured.map(({ name }) => name)
  say(options, ...(await describeAccess(gateway.ctx, names)))
  if (signal.aborted) return
  await Promise.race([untilAborted(signal), ...received])
}

/** What the operator can fix, in words; anything else is a bug, or explained where all commands are. */
function refuse({ refusals }: ChatService, error: unknown): never {
  if (error instanceof Error && refusals.includes(error.name))
    throw new CommandError(error.message, { code: 'PLATFORM_REFUSED', cause: error })
  throw error
}
