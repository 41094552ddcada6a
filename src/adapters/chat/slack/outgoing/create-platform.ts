import type { webApi } from '@slack/bolt'
import type { Messages } from '../../../../domain/messages/messages.ts'
import type { ChatPlatform } from '../../../../ports/chat.ts'
import { defaultPace, type LivePace } from '../../live/live-pace.ts'
import { createPlatform, type PlatformOptions } from '../../outgoing/create-platform.ts'
import type { AnsweredThreads } from '../answered-threads.ts'
import { createFetchFile, type FileServer } from '../fetch-file.ts'
import type { SlackMessage } from '../render/slack-canvas.ts'
import type { ReplyPaths } from '../reply-paths.ts'
import type { AgentSessions } from './agent-sessions.ts'
import { createMessenger } from './create-messenger.ts'

export interface SlackPlatformOptions extends Omit<PlatformOptions<SlackMessage>, 'messenger'> {
  readonly client: webApi.WebClient
  readonly messages: Messages
  /** Source of files (CHAT-07); without it files cannot be fetched. */
  readonly files?: FileServer
  readonly paths?: ReplyPaths
  readonly answered?: AnsweredThreads
  readonly sessions?: AgentSessions
}

/** chat.update allows about 50 calls a minute for all channels together (https://docs.slack.dev/apis/web-api/rate-limits). */
const slackPace: LivePace = { ...defaultPace, privateMs: 2_000, groupMs: 3_000 }

/** Creates Slack's side of the chat port. */
export function createSlackPlatform({
  client,
  messages,
  files,
  paths,
  answered,
  sessions,
  pace,
  ...options
}: SlackPlatformOptions): ChatPlatform & AsyncDisposable {
  const messenger = createMessenger(client, messages, { paths, answered, sessions })
  const platform = createPlatform('slack', { ...options, messenger, pace: pace ?? slackPace })
  return files === undefined ? platform : { ...platform, fetchFile: createFetchFile(files) }
}
