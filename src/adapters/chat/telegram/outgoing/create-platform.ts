import type { Api } from 'grammy'
import type { ChatPlatform } from '../../../../ports/chat.ts'
import { createPlatform, type PlatformOptions } from '../../outgoing/create-platform.ts'
import { createFetchFile, type FileServer } from '../fetch-file.ts'
import { createMessenger } from './create-messenger.ts'

export interface TelegramPlatformOptions extends Omit<PlatformOptions<string>, 'messenger'> {
  /** With a time-out of its own; a poller needs another one. */
  readonly api: Api
  /** CHAT-07: where files are fetched; nowhere when not given. */
  readonly files?: FileServer
}

/** Telegram, as what goes out sees it. */
export function createTelegramPlatform({
  api,
  files,
  ...options
}: TelegramPlatformOptions): ChatPlatform & AsyncDisposable {
  const platform = createPlatform('telegram', { ...options, messenger: createMessenger(api) })
  return files === undefined ? platform : { ...platform, fetchFile: createFetchFile(files) }
}
