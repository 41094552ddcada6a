import type { Api } from 'grammy'
import type { ChatPlatform } from '../../../../ports/chat.ts'
import { createPlatform, type PlatformOptions } from '../../outgoing/create-platform.ts'
import { createMessenger } from './create-messenger.ts'

export interface TelegramPlatformOptions extends Omit<PlatformOptions<string>, 'messenger'> {
  /** With a time-out of its own; a poller needs another one. */
  readonly api: Api
}

/** Telegram, as what goes out sees it. */
export function createTelegramPlatform({
  api,
  ...options
}: TelegramPlatformOptions): ChatPlatform & AsyncDisposable {
  return createPlatform('telegram', { ...options, messenger: createMessenger(api) })
}
