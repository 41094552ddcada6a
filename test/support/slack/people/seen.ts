import { buttonsOf, type SeenButton } from '../blocks/buttons.ts'
import { textOf } from '../blocks/plain-text.ts'
import type { ChannelState } from '../channels.ts'
import type { StoredFile } from '../files/files.ts'
import type { Notified } from '../mentions.ts'
import type { Block, StoredMessage } from '../messages.ts'
import type { World } from '../world.ts'

/** A message as a person sees it. */
export interface SeenMessage {
  readonly ts: string
  readonly threadTs: string | undefined
  /** `app`: the one under test. */
  readonly from: {
    readonly kind: 'app' | 'bot' | 'person'
    readonly id: string
    readonly name: string
  }
  /** What its blocks say, or without blocks its text. */
  readonly text: string
  /** What a notification shows of it. */
  readonly fallback: string
  readonly blocks: readonly Block[]
  readonly buttons: readonly SeenButton[]
  readonly files: readonly Pick<StoredFile, 'id' | 'name' | 'title' | 'mimeType' | 'bytes'>[]
  readonly notified: Notified
  readonly reactions: StoredMessage['reactions']
  readonly metadata: StoredMessage['metadata']
  readonly streaming: StoredMessage['streaming']
  readonly subtype: string | undefined
  readonly ephemeralFor: string | undefined
  readonly broadcast: boolean
  /** How often it was changed. */
  readonly edits: number
  /** Whether it says "(edited)". */
  readonly showsEdited: boolean
  /** Unix milliseconds. */
  readonly at: number
}

/** Something that was shown, as it was then. */
export interface SeenChange {
  readonly kind: 'send' | 'edit' | 'delete'
  readonly at: number
  readonly message: SeenMessage
}

export function toSeen(world: World, message: Readonly<StoredMessage>): SeenMessage {
  const { ts, threadTs, blocks, notified, reactions, metadata, streaming, subtype } = message
  const { ephemeralFor, broadcast, edits, at, files } = message
  return {
    ...{ ts, threadTs, blocks, notified, reactions, metadata, streaming, subtype },
    ...{ ephemeralFor, broadcast, edits, at, files },
    from: authorOf(world, message),
    text: blocks.length > 0 ? textOf(blocks) : message.text,
    fallback: message.text,
    buttons: buttonsOf(blocks),
    showsEdited: message.edited !== undefined,
  }
}

function authorOf(world: World, message: Readonly<StoredMessage>): SeenMessage['from'] {
  const user = world.users.get(message.userId ?? '')
  const name = message.username ?? user?.name ?? 'a bot'
  const id = message.userId ?? message.botId ?? ''
  if (message.appId === world.app.id) return { kind: 'app', id, name }
  return { kind: user?.kind === 'person' ? 'person' : 'bot', id, name }
}

/** What stands in a channel now, in order, and everybody may see. */
export function seenMessages(world: World, state: ChannelState): SeenMessage[] {
  return [...state.messages.values()]
    .filter(({ deleted, ephemeralFor }) => !deleted && ephemeralFor === undefined)
    .filter(({ subtype }) => subtype !== 'assistant_app_thread')
    .map((message) => toSeen(world, message))
}
