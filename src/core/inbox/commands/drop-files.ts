import { findUnreadUploads, type UnreadUpload } from '../../../db/upload/unread-uploads.ts'
import { markUploadsReported } from '../../../db/upload/uploads.ts'
import { callStatesAtWorker } from '../../../domain/tool/tool-call.ts'
import { describeAside, discardPending } from '../discard-pending.ts'
import type { CommandTransaction } from './command.ts'

const underWay: ReadonlySet<string | null> = new Set(callStatesAtWorker)

/**
 * CHAT-07: files that a person sent before, and that still wait to be fetched or to be put into the workspace, are dropped with the
 * messages that they came with and what waits behind them. Answers words for it; undefined: nothing waited.
 */
export async function dropFiles(
  tx: CommandTransaction,
  author: string,
): Promise<string | undefined> {
  const { db, session } = tx
  const aside = await discardPending(tx, [author])
  const unread = await findUnreadUploads(db, { sessionId: session.id, author })
  await markUploadsReported(
    db,
    unread.map(({ id }) => id),
  )
  const [late, dropped] = [unread.filter(isUnderWay), unread.filter(isOpen)]
  const what = describeAside({ ...aside, names: [...aside.names, ...namesOf(dropped)] })
  // Its call is cancelled, which may come too late.
  const perhaps = describeAside({ names: namesOf(late), messages: 0 })
  const words = [
    ...(what === undefined ? [] : [`Dropped unread: ${what}.`]),
    ...(perhaps === undefined ? [] : [`On its way, and perhaps there: ${perhaps}.`]),
  ]
  return words.length === 0 ? undefined : words.join(' ')
}

function namesOf(files: readonly UnreadUpload[]): readonly string[] {
  return files.map(({ name }) => name)
}

function isUnderWay({ call_state }: UnreadUpload): boolean {
  return underWay.has(call_state)
}

/** Not what is in the workspace already or may be, nor what could not be had. */
function isOpen(file: UnreadUpload): boolean {
  return file.state === 'kept' && file.call_state !== 'succeeded' && !isUnderWay(file)
}
