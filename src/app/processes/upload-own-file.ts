import type { Kernel } from '../../core/kernel/kernel.ts'
import { transact } from '../../core/kernel/transact.ts'
import { notice } from '../../core/outbox/post.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import type { Gateway } from '../../gateway/run-gateway.ts'
import { newId } from '../../util/new-id.ts'
import { readOwnFile } from './read-own-file.ts'

export interface OwnUpload {
  readonly kernel: Kernel
  readonly gateway: Gateway
  readonly platform: string
  readonly conversation: string
  readonly callerId: string
  readonly home: string | undefined
}

/** The path that a line `/upload path` names, empty where it names none; undefined: it is another line. */
export function pathToUpload(line: string): string | undefined {
  const trimmed = line.trim()
  if (!/^\/upload(?:\s|$)/.test(trimmed)) return undefined
  const path = trimmed.slice('/upload'.length).trim()
  const quote = path.charAt(0)
  const isQuoted = path.length > 1 && /["']/.test(quote) && path.endsWith(quote)
  return isQuoted ? path.slice(1, -1) : path
}

/** CHAT-07: hands over a file of the person at the terminal; what cannot be read is told in the chat. */
export async function uploadOwnFile(at: OwnUpload, path: string): Promise<void> {
  const { platform, conversation, callerId } = at
  if (path === '') return tell(at, 'Which file? /upload path')
  const file = await readOwnFile(path, at.home, at.kernel.settings.uploadBytes)
  if (file.kind === 'failed') return tell(at, `“${path}” was not taken: ${file.why}.`)
  const { name, content } = file
  await at.gateway.upload({
    platform,
    externalId: newId(),
    conversation,
    callerId,
    name,
    content,
  })
}

function tell({ kernel, platform, conversation }: OwnUpload, text: string): Promise<void> {
  return transact(kernel, async (db, after) => {
    const { id } = await ensureConversation(db, platform, conversation)
    await notice(db, after, id, text)
  })
}
