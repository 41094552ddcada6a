import type { User } from 'grammy/types'
import type { BotState } from './bots.ts'
import type { ChatState } from './chats.ts'
import type { StoredFile } from './messages.ts'
import { ChangeSignal } from './waiting.ts'

/**
 * What only newer servers have, as https://core.telegram.org/bots/api-changelog tells: `copy_text` came with Bot API 7.11,
 * rich messages with 10.1 and their blocks with 10.2, the parameters of ephemeral messages
 * and drafts that can be stopped with 10.3.
 */
export type NewFeature = 'copy_text' | 'rich_messages' | 'ephemeral_messages' | 'can_stop'

/** Everything that is on the platform's side, whatever becomes of the bots' processes. */
export interface World {
  readonly bots: readonly BotState[]
  readonly users: Map<number, User>
  /** Groups and channels by id; private chats are with their bot. */
  readonly groups: Map<number, ChatState>
  /** By file id. */
  readonly files: Map<string, StoredFile>
  readonly changes: ChangeSignal
  /** Unix milliseconds. */
  now(): number
  /** Something happened that a test may wait for. */
  changed(): void
  /** May bots use `sendMessageDraft`? */
  readonly drafts: boolean
  /** What the server is too old for. */
  readonly lacks: ReadonlySet<NewFeature>
  /** A tap can be answered this long. */
  callbackQueryMaxAgeMs: number
}

export function createWorld(options: {
  readonly bots: readonly BotState[]
  readonly now: () => number
  readonly drafts: boolean
  readonly lacks: ReadonlySet<NewFeature>
  readonly callbackQueryMaxAgeMs: number
}): World {
  const changes = new ChangeSignal()
  return {
    ...options,
    users: new Map(),
    groups: new Map(),
    files: new Map(),
    changes,
    changed: () => changes.fire(),
  }
}

/** The chat of this id as this bot knows it. */
export function findChat(world: World, bot: BotState, id: number): ChatState | undefined {
  const state = id > 0 ? bot.privateChats.get(id) : world.groups.get(id)
  return state?.bots.has(bot) ? state : undefined
}

export function keepFile(
  world: World,
  file: { name: string; mimeType: string; bytes: Uint8Array },
  folder: string,
): StoredFile {
  const number = world.files.size
  const extension = /\.[A-Za-z0-9]{1,10}$/.exec(file.name)?.[0] ?? ''
  const kept = {
    ...file,
    id: `BQACAgIAAxkBAAI${Buffer.from(String(number).padStart(6, '0')).toString('base64url')}`,
    uniqueId: `AgAD${String(number).padStart(6, '0')}`,
    path: `${folder}/file_${number}${extension}`,
  }
  world.files.set(kept.id, kept)
  return kept
}
