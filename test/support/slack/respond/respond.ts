import { checkBlocks } from '../blocks/check-blocks.ts'
import { withIds } from '../blocks/with-ids.ts'
import type { ChannelState } from '../channels.ts'
import { Refusal } from '../limits/refusal.ts'
import { notifiedBy } from '../mentions.ts'
import { isRecord } from '../params.ts'
import { change, post, remove } from '../posting.ts'
import type { World } from '../world.ts'
import { maxAgeMs, mostUses, type ResponseUrl } from './response-urls.ts'

/**
 * What an app says to a click or command at its response_url, or with the acknowledgement of a command.
 * https://docs.slack.dev/interactivity/handling-user-interaction
 */
export function respond(world: World, url: ResponseUrl, body: unknown): void {
  if (world.now() - url.at > maxAgeMs) throw new Refusal('expired_url', {}, { status: 404 })
  if (url.used >= mostUses) throw new Refusal('used_url', {}, { status: 404 })
  const said = typeof body === 'string' ? { text: body } : body
  if (!isRecord(said)) throw new Refusal('invalid_payload', {}, { status: 400 })
  const state = world.channels.get(url.channelId)
  if (state === undefined) throw new Refusal('channel_not_found', {}, { status: 404 })
  if (state.archived) throw new Refusal('channel_is_archived', {}, { status: 410 })
  write(world, state, url, said)
  url.used++
}

function write(
  world: World,
  state: ChannelState,
  url: ResponseUrl,
  said: Record<string, unknown>,
): void {
  const original = state.messages.get(url.messageTs ?? '')
  if (said['delete_original'] === true && original !== undefined && !original.deleted) {
    remove(world, state, original)
    return
  }
  const content = readContent(said)
  if (said['replace_original'] === true && original !== undefined && !original.deleted) {
    change(world, state, original, content, world.app.userId)
    return
  }
  const threadTs = typeof said['thread_ts'] === 'string' ? said['thread_ts'] : undefined
  post(world, state, {
    ...content,
    userId: world.app.userId,
    botId: world.app.botId,
    appId: world.app.id,
    threadTs: threadTs ?? url.threadTs,
    ephemeralFor: said['response_type'] === 'in_channel' ? undefined : url.userId,
  })
}

function readContent(said: Record<string, unknown>) {
  const given = said['blocks'] ?? []
  if (!Array.isArray(given)) throw new Refusal('invalid_blocks_format')
  const blocks = withIds(checkBlocks(given))
  const text = typeof said['text'] === 'string' ? said['text'] : ''
  if (text === '' && blocks.length === 0) throw new Refusal('no_text')
  return { text, blocks, notified: notifiedBy({ text, blocks, bareNames: false }) }
}
