import type { Api } from 'grammy'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { ChatPlatform } from '../../../../ports/chat.ts'
import { createPlatform, type PlatformOptions } from '../../outgoing/create-platform.ts'
import { createFetchFile, type FileServer } from '../fetch-file.ts'
import { createMessenger } from './create-messenger.ts'

export interface TelegramPlatformOptions extends Omit<PlatformOptions<string>, 'messenger'> {
  /** Needs a time-out of its own, shorter than that of a poller. */
  readonly api: Api
  readonly messages: Messages
  /** Source of files (CHAT-07); without it files cannot be fetched. */
  readonly files?: FileServer
}

/** Creates Telegram's side of the chat port. */
export function createTelegramPlatform({
  api,
  messages,
  files,
  ...options
}: TelegramPlatformOptions): ChatPlatform & AsyncDisposable {
  const messenger = createMessenger(api, messages)
  const platform = createPlatform('telegram', { ...options, messenger })
  return files === undefined ? platform : { ...platform, fetchFile: createFetchFile(files) }
}
