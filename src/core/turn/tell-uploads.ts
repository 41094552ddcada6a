import { setUnreadBody } from '../../db/turn/messages.ts'
import type { UnreadUpload } from '../../db/upload/unread-uploads.ts'
import { markUploadsReported } from '../../db/upload/uploads.ts'
import { filesHeader } from '../../domain/files-header.ts'
import { readPut } from '../../rules/tools/put-file.ts'
import { toStorable } from '../../util/text/storable.ts'
import { notice } from '../outbox/post.ts'
import type { Transaction } from '../transaction.ts'

/** Writes into messages what became of the files that came with them, for the model, and says so to people in a line each. */
export async function tellUploads(
  tx: Transaction,
  conversationId: string,
  uploads: readonly UnreadUpload[],
): Promise<void> {
  for (const [messageId, files] of Map.groupBy(uploads, (file) => file.message_id)) {
    const ends = files.map(endOf)
    const caption = files[0]?.message_body ?? ''
    const told = [filesHeader, ...ends.map(forModel)].join('\n')
    const body = caption === '' ? told : `${caption}\n\n${told}`
    await setUnreadBody(tx.db, messageId, toStorable(body))
    for (const text of forPeople(ends)) await notice(tx, conversationId, text)
    await markUploadsReported(
      tx.db,
      files.map(({ id }) => id),
    )
  }
}

type End =
  | {
      readonly kind: 'saved'
      readonly path: string
      readonly bytes: number
      readonly mediaType: string | null
    }
  | { readonly kind: 'failed'; readonly name: string; readonly why: string }

function endOf(file: UnreadUpload): End {
  const { name, bytes, failure, media_type: mediaType } = file
  const result = file.call_result ?? ''
  if (file.call_state !== 'succeeded') {
    const why = failure ?? (whyFailed(result) || (file.sha256 === null ? notKept : stopped))
    return { kind: 'failed', name, why }
  }
  const path = readPut(result)
  if (path === undefined)
    return { kind: 'failed', name, why: 'the sandbox did not say where it is' }
  return { kind: 'saved', path, bytes: bytes ?? 0, mediaType }
}

const notKept = 'it is not kept any more; it can be sent again'
/** Also of a call of a turn that is over, and that may still run. */
const stopped = 'it was stopped before it was known whether it is there'

/** The line of a tool error's block that is for people. */
function whyFailed(result: string): string {
  return /^error: (.*)$/m.exec(result)?.[1] ?? ''
}

function forModel(end: End): string {
  if (end.kind === 'failed') return `- ${quoted(end.name)} was not saved: ${end.why}`
  const type = end.mediaType === null ? '' : `, ${end.mediaType}`
  return `- ${end.path} (${end.bytes} bytes${type})`
}

function forPeople(ends: readonly End[]): readonly string[] {
  const saved = ends.flatMap((end) => (end.kind === 'saved' ? [end.path] : []))
  const failed = ends.flatMap((end) => (end.kind === 'failed' ? [end] : []))
  return [
    ...(saved.length === 0 ? [] : [`Saved ${saved.join(', ')}.`]),
    ...failed.map(({ name, why }) => `${quoted(name)} was not saved: ${why}.`),
  ]
}

function quoted(name: string): string {
  return `“${name}”`
}
