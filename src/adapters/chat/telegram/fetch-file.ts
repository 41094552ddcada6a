import { type Api, GrammyError } from 'grammy'
import type { ChatPlatform, FetchedFile } from '../../../ports/chat.ts'
import { fetchFailureReason, readLimited, toBusy } from '../incoming/download.ts'
import { toApiSignal } from './api.ts'

export interface FileServer {
  readonly api: Api
  readonly token: string
  /** Telegram's public server by default. */
  readonly apiRoot?: string | undefined
}

type FetchFile = NonNullable<ChatPlatform['fetchFile']>
type Limits = Parameters<FetchFile>[1]

const publicRoot = 'https://api.telegram.org'

/**
 * Creates a function that downloads files by `file_id` (CHAT-07). It asks for a new path each time, as Telegram keeps one for
 * an hour only.
 */
export function createFetchFile(server: FileServer): FetchFile {
  return async (fileId, limits) => {
    const found = await findPath(server, fileId, limits)
    return typeof found === 'string' ? download(server, found, limits) : found
  }
}

async function findPath(
  { api }: FileServer,
  fileId: string,
  { maxBytes, signal }: Limits,
): Promise<string | FetchedFile> {
  try {
    const { file_path: path, file_size: size = 0 } = await api.getFile(fileId, toApiSignal(signal))
    if (size > maxBytes) return { kind: 'too_large' }
    if (path === undefined) return { kind: 'unreachable', why: 'Telegram named no path' }
    // A self-hosted server in local mode returns a path on its own disk.
    return path.startsWith('/') ? { kind: 'refused', why: 'local_server' } : path
  } catch (error) {
    return toFailure(error)
  }
}

/** https://core.telegram.org/bots/api#getfile: bots can download files of up to 20 MB. */
function toFailure(error: unknown): FetchedFile {
  if (!(error instanceof GrammyError)) return { kind: 'unreachable', why: 'no answer to getFile' }
  const { error_code: code, description, parameters } = error
  if (/file is too big/i.test(description)) return { kind: 'too_large' }
  if (code === 429) return toBusy(parameters.retry_after)
  if (code === 400) return { kind: 'refused', why: 'gone' }
  return { kind: 'unreachable', why: `getFile was answered ${code}` }
}

async function download(
  { token, apiRoot = publicRoot }: FileServer,
  path: string,
  { maxBytes, signal }: Limits,
): Promise<FetchedFile> {
  if (!/^[\w.-]+(?:\/[\w.-]+)*$/.test(path) || path.split('/').includes('..')) {
    return { kind: 'refused', why: 'refused' }
  }
  try {
    const url = `${apiRoot.replace(/\/+$/, '')}/file/bot${token}/${path}`
    const response = await fetch(url, { redirect: 'error', signal })
    if (!response.ok) {
      await response.body?.cancel()
      return { kind: 'unreachable', why: `the file was answered ${response.status}` }
    }
    const content = await readLimited(response, maxBytes)
    return content === undefined ? { kind: 'too_large' } : { kind: 'fetched', content }
  } catch (error) {
    return { kind: 'unreachable', why: fetchFailureReason(error) }
  }
}
