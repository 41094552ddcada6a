import type { types } from '@slack/bolt'
import type { StoredFile } from './files/files.ts'
import { toEventFile } from './files/files.ts'
import type { Notified } from './mentions.ts'
import type { World } from './world.ts'

export type Block = types.KnownBlock

/** A message of a channel. What may change is what people or the app can change. */
export interface StoredMessage {
  readonly ts: string
  /** Unix milliseconds. */
  readonly at: number
  /** Undefined: a bot of another app that has no user. */
  readonly userId: string | undefined
  readonly botId: string | undefined
  readonly appId: string | undefined
  readonly teamId: string
  readonly threadTs: string | undefined
  readonly broadcast: boolean
  readonly subtype: string | undefined
  /** Who alone sees it. */
  readonly ephemeralFor: string | undefined
  readonly clientMsgId: string | undefined
  readonly username: string | undefined
  readonly files: readonly StoredFile[]
  readonly inviter: string | undefined
  text: string
  blocks: readonly Block[]
  attachments: readonly unknown[]
  metadata: Readonly<Record<string, unknown>> | undefined
  /** Who was told of it by name. */
  notified: Notified
  /** Of a message that is or was streamed. */
  streaming: 'in_progress' | 'completed' | 'errored' | undefined
  /** What a streamed message is made of: chunks, or `markdown_text` alone; its first content decides. */
  streamMode: 'chunks' | 'markdown' | undefined
  /** Unix milliseconds; when something was last added to the stream. */
  streamedAt: number
  /** Somebody pressed Stop while it was streamed. */
  stoppedByUser: boolean
  reactions: readonly { readonly name: string; readonly users: readonly string[] }[]
  edited: { readonly userId: string; readonly ts: string } | undefined
  edits: number
  deleted: boolean
}

/** A message as the Web API and the events show it. */
export function toApiMessage(
  world: World,
  message: Readonly<StoredMessage>,
): Record<string, unknown> {
  const { threadTs, userId, edited } = message
  return {
    ...(message.subtype !== undefined && { subtype: message.subtype }),
    ...(userId !== undefined && { user: userId }),
    type: 'message',
    ts: message.ts,
    ...(message.botId !== undefined && botOf(world, message)),
    ...(message.clientMsgId !== undefined && { client_msg_id: message.clientMsgId }),
    text: message.text,
    team: message.teamId,
    ...(message.username !== undefined && { username: message.username }),
    ...(message.inviter !== undefined && { inviter: message.inviter }),
    ...(threadTs !== undefined && { thread_ts: threadTs }),
    ...(message.broadcast && { subtype: 'thread_broadcast' }),
    ...(message.streaming !== undefined && { streaming_state: message.streaming }),
    ...(message.blocks.length > 0 && { blocks: structuredClone(message.blocks) }),
    ...(message.attachments.length > 0 && { attachments: structuredClone(message.attachments) }),
    ...(message.files.length > 0 && {
      files: message.files.map((file) => toEventFile(world, file)),
      upload: false,
    }),
    ...(message.metadata !== undefined && { metadata: structuredClone(message.metadata) }),
    ...(edited !== undefined && { edited: { user: edited.userId, ts: edited.ts } }),
    ...(message.reactions.length > 0 && {
      reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })),
    }),
  }
}

function botOf(world: World, message: Readonly<StoredMessage>): Record<string, unknown> {
  const { botId: id, appId, teamId } = message
  const name = id === world.app.botId ? world.app.name : 'another app'
  const profile = { id, app_id: appId, name, icons: {}, deleted: false, updated: 1_700_000_000 }
  return { bot_id: id, app_id: appId, bot_profile: { ...profile, team_id: teamId } }
}
