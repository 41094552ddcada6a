import { checkBlocks, readBlocks } from '../blocks/check-blocks.ts'
import { withIds } from '../blocks/with-ids.ts'
import { Refusal } from '../limits/refusal.ts'
import { notifiedBy } from '../mentions.ts'
import type { Block, StoredMessage } from '../messages.ts'
import { isRecord, type Params } from '../params.ts'
import { type Call, needScope } from './method.ts'

/** Longer text is cut: https://docs.slack.dev/changelog/2018-truncating-really-long-messages */
const mostText = 40_000
export const mostMarkdown = 12_000

export type Content = Pick<
  StoredMessage,
  'text' | 'blocks' | 'attachments' | 'metadata' | 'notified' | 'username'
>

/** What a call wants to write. Undefined parts were not given. */
export function readContent(call: Call, options: { readonly bareNames: boolean }): Content {
  const { params } = call
  const markdown = readMarkdown(params)
  const blocks = withIds(markdown ?? readBlocks(params) ?? [])
  const attachments = readAttachments(params)
  const text = (params.text('text') ?? markdown?.[0]?.text ?? '').slice(0, mostText)
  if (text === '' && blocks.length === 0 && attachments.length === 0) throw new Refusal('no_text')
  const bareNames =
    options.bareNames || params.flag('link_names') || params.text('parse') === 'full'
  return {
    text,
    blocks,
    attachments,
    metadata: readMetadata(params),
    notified: notifiedBy({ text, blocks, attachments, bareNames }),
    username: readAuthorship(call),
  }
}

/** A message of markdown alone, as the block that it becomes. */
function readMarkdown(
  params: Params,
): readonly [Block & { readonly type: 'markdown'; readonly text: string }] | undefined {
  const text = params.text('markdown_text')
  if (text === undefined) return undefined
  if (params.has('blocks') || params.has('text')) throw new Refusal('markdown_text_conflict')
  if (text.length > mostMarkdown) throw new Refusal('msg_too_long')
  const block = { type: 'markdown' as const, text }
  checkBlocks([block])
  return [block]
}

function readAttachments(params: Params): readonly unknown[] {
  const format = () => new Refusal('invalid_attachments')
  const attachments = params.json('attachments', format) ?? []
  if (!Array.isArray(attachments) || !attachments.every(isRecord)) throw format()
  if (attachments.length > 100) throw new Refusal('too_many_attachments')
  for (const { blocks } of attachments) if (Array.isArray(blocks)) checkBlocks(blocks)
  return attachments
}

export function readMetadata(params: Params): StoredMessage['metadata'] {
  const format = () => new Refusal('invalid_metadata_format')
  const metadata = params.json('metadata', format)
  if (metadata === undefined) return undefined
  if (!isRecord(metadata)) throw format()
  if (Object.keys(metadata).length === 0) return undefined
  const { event_type: type, event_payload: payload } = metadata
  if (typeof type !== 'string' || !isRecord(payload)) throw format()
  return metadata
}

/** Another name or icon than the app's needs a scope of its own. */
function readAuthorship(call: Call): string | undefined {
  const names = ['username', 'icon_emoji', 'icon_url']
  if (names.some((name) => call.params.has(name))) needScope(call, 'chat:write.customize')
  return call.params.text('username')
}
