import type { Api } from 'grammy'
import type { ChatPlatform } from '../../../../ports/chat.ts'
import { createPlatform, type PlatformOptions } from '../../outgoing/create-platform.ts'
import { createFetchFile, type FileServer } from '../fetch-file.ts'
import { createMessenger } from './create-messenger.ts'

export interface TelegramPlatformOptions extends Omit<PlatformOptions<string>, 'messenger'> {
  /** Needs a time-out of its own, shorter than that of a poller. */
  readonly api: Api
  /** Source of files (CHAT-07); without it files cannot be fetched. */
  readonly files?: FileServer
}

/** Creates Telegram's side of the chat port. */
export function createTelegramPlatform({
  api,
  files,
  ...options
}: TelegramPlatformOptions): ChatPlatform & AsyncDisposable {
  const platform = createPlatform('telegram', { ...options, messenger: createMessenger(api) })
  return files === undefined ? platform : { ...platform, fetchFile: createFetchFile(files) }
}
