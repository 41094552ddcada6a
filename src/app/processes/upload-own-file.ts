import { constants } from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import type { CoreContext } from '../../core/context.ts'
import { notice, transact } from '../../core/transaction.ts'
import { ensureConversation } from '../../db/turn/conversations.ts'
import type { Messages } from '../../domain/messages/messages.ts'
import { maxUploadBytes, sizeText } from '../../domain/upload-name.ts'
import type { Gateway } from '../../gateway/run-gateway.ts'
import { newId } from '../../util/ids.ts'

type Problem = keyof Messages['inbox']['ownFileProblems']

const problems: Readonly<Record<string, Problem>> = {
  ENOENT: 'missing',
  EACCES: 'forbidden',
  EPERM: 'forbidden',
  EISDIR: 'directory',
  ENAMETOOLONG: 'name_too_long',
}

export interface OwnUpload {
  readonly ctx: CoreContext
  readonly gateway: Gateway
  readonly platform: string
  readonly conversation: string
  readonly callerId: string
  readonly home: string | undefined
}

/** Returns the path that a line `/upload path` names, empty where the path is missing; undefined for any other line. */
export function pathToUpload(line: string): string | undefined {
  const trimmed = line.trim()
  if (!/^\/upload(?:\s|$)/.test(trimmed)) return undefined
  const path = trimmed.slice('/upload'.length).trim()
  const quote = path.charAt(0)
  const isQuoted = path.length > 1 && /["']/.test(quote) && path.endsWith(quote)
  return isQuoted ? path.slice(1, -1) : path
}

/** CHAT-07: uploads a file of the person at the terminal; a file that cannot be read is reported in the chat. */
export async function uploadOwnFile(at: OwnUpload, path: string): Promise<void> {
  const { platform, conversation, callerId } = at
  const { messages, settings } = at.ctx
  const { inbox } = messages
  if (path === '') return tell(at, inbox.whichFile)
  const file = await readOwnFile(messages, { path, home: at.home }, settings.uploadBytes)
  if (file.kind === 'failed') return tell(at, inbox.fileNotTaken({ name: path, why: file.why }))
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

function tell({ ctx, platform, conversation }: OwnUpload, text: string): Promise<void> {
  return transact(ctx, async (tx) => {
    const { id } = await ensureConversation(tx.db, platform, conversation)
    await notice(tx, id, text)
  })
}

type OwnFile =
  | { readonly kind: 'read'; readonly name: string; readonly content: Buffer }
  | { readonly kind: 'failed'; readonly why: string }

/**
 * CHAT-07: reads the file that `/upload` names with the rights of the running program, relative to its working directory.
 * `home` replaces `~/`. Does not wait for pipes and devices. Never rejects.
 */
async function readOwnFile(
  messages: Messages,
  { path: given, home }: { readonly path: string; readonly home: string | undefined },
  maxBytes = maxUploadBytes,
): Promise<OwnFile> {
  const { inbox } = messages
  const { ownFileProblems } = inbox
  const path = resolve(
    given.startsWith('~/') && home !== undefined ? join(home, given.slice(2)) : given,
  )
  try {
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
    const found = await file.stat()
    if (found.isDirectory()) return { kind: 'failed', why: ownFileProblems.directory }
    if (!found.isFile()) return { kind: 'failed', why: ownFileProblems.not_regular }
    const content = Buffer.alloc(Math.min(found.size, maxBytes) + 1)
    let size = 0
    for (;;) {
      const { bytesRead } = await file.read(content, size, content.length - size)
      size += bytesRead
      if (bytesRead === 0 || size === content.length) break
    }
    if (size > maxBytes)
      return { kind: 'failed', why: inbox.tooLarge({ limit: sizeText(messages, maxBytes) }) }
    return { kind: 'read', name: basename(path), content: content.subarray(0, size) }
  } catch (error) {
    const code: unknown = error instanceof Error ? Reflect.get(error, 'code') : undefined
    const problem = problems[String(code)]
    const why =
      problem === undefined
        ? inbox.ownFileUnreadable({ code: String(code) })
        : ownFileProblems[problem]
    return { kind: 'failed', why }
  }
}
