import type { webApi } from '@slack/bolt'
import { z } from 'zod'
import type { ChatPlatform, FetchedFile } from '../../../ports/chat.ts'
import { tryParseJson } from '../../../util/text/try-parse-json.ts'
import { fetchFailureReason, readLimited, toBusy } from '../incoming/download.ts'
import {
  type FileReference,
  fileReference,
  nameOf,
  slackFile,
  toReference,
} from './incoming/to-files.ts'
import { slackCode, toDelivery } from './outgoing/to-delivery.ts'

export interface FileServer {
  readonly client: webApi.WebClient
  readonly token: string
  /** Slack's own by default. */
  readonly apiUrl?: string | undefined
}

type FetchFile = NonNullable<ChatPlatform['fetchFile']>
type Limits = Parameters<FetchFile>[1]

/** A file whose URL is known. */
interface FoundFile {
  readonly kind: 'found'
  readonly url: string
  readonly isExternal: boolean
  readonly bytes: number | undefined
  readonly mediaType: string | undefined
  readonly name: string | undefined
}

const publicApi = 'https://slack.com/api/'
const slackHosts: ReadonlySet<string> = new Set(['slack.com', 'www.slack.com', 'slack-gov.com'])

/** Creates a function that downloads files with the bot token, which is sent to Slack only (CHAT-07). */
export function createFetchFile(server: FileServer): FetchFile {
  return async (reference, limits) => {
    const known = fileReference.safeParse(tryParseJson(reference))
    if (!known.success) return { kind: 'refused', why: 'gone' }
    const found = await find(server, known.data)
    if (found.kind !== 'found') return found
    if (found.bytes !== undefined && found.bytes > limits.maxBytes) return { kind: 'too_large' }
    if (found.isExternal || !isOfSlack(found.url, server.apiUrl)) {
      return { kind: 'refused', why: 'external' }
    }
    return download(server, found, limits)
  }
}

async function find(server: FileServer, known: FileReference): Promise<FoundFile | FetchedFile> {
  const { id, url, isExternal = false, bytes, mediaType } = known
  if (url === undefined) return askForFile(server, id)
  return { kind: 'found', url, isExternal, bytes, mediaType, name: undefined }
}

const info = z.object({ file: slackFile })

async function askForFile({ client }: FileServer, id: string): Promise<FoundFile | FetchedFile> {
  try {
    const parsed = info.safeParse(await client.files.info({ file: id }))
    if (!parsed.success) return { kind: 'unreachable', why: 'files.info was answered nonsense' }
    const { file } = parsed.data
    // A file found by `files.info` is visible, unless it has no URL.
    const seen = toReference({ ...file, file_access: 'visible' })
    const { url, isExternal = false, bytes, mediaType } = seen
    if (url === undefined) return { kind: 'refused', why: 'not_visible' }
    return { kind: 'found', url, isExternal, bytes, mediaType, name: nameOf(file) }
  } catch (error) {
    return toFailure(error)
  }
}

function toFailure(error: unknown): FetchedFile {
  const code = slackCode(error)
  if (code === 'missing_scope') return { kind: 'refused', why: 'no_permission' }
  if (code === 'file_not_found' || code === 'file_deleted') return { kind: 'refused', why: 'gone' }
  const failed = toDelivery(error)
  if (failed.kind === 'busy') return toBusy(failed.afterMs / 1_000)
  const why = failed.kind === 'moved' ? 'it moved' : failed.why
  return failed.kind === 'refused'
    ? { kind: 'refused', why: 'refused' }
    : { kind: 'unreachable', why }
}

/**
 * Whether a file's URL may be requested with the token: it must be on the host of Slack's files, and not a method of its API,
 * where a crafted URL would be a call in the bot's name. Another API, such as a stand-in for tests, may serve files on its own
 * host.
 */
export function isOfSlack(url: string, apiUrl: string = publicApi): boolean {
  const [at, api] = [URL.parse(url), URL.parse(apiUrl)]
  if (at === null || api === null || at.username !== '' || at.password !== '') return false
  if (at.protocol !== api.protocol || at.port !== api.port) return false
  const path = at.pathname.replaceAll(/\/{2,}/g, '/').toLowerCase()
  if (at.hostname === `files.${api.hostname}`) return /^\/files-(?:pri|tmb)\//.test(path)
  if (slackHosts.has(api.hostname) || at.hostname !== api.hostname) return false
  return !path.startsWith(new URL('.', api).pathname.toLowerCase())
}

async function download(
  { token }: FileServer,
  found: FoundFile,
  { maxBytes, signal }: Limits,
): Promise<FetchedFile> {
  try {
    const headers = { authorization: `Bearer ${token}` }
    // Without permission, Slack redirects to its sign-in page.
    const response = await fetch(found.url, { headers, redirect: 'manual', signal })
    const failed = failureOf(response)
    if (failed !== undefined) {
      await response.body?.cancel()
      return failed
    }
    const content = await readLimited(response, maxBytes)
    if (content === undefined) return { kind: 'too_large' }
    if (isSignInPage(response, content, found)) return { kind: 'refused', why: 'no_permission' }
    const { name, mediaType } = found
    return {
      kind: 'fetched',
      content,
      ...(name === undefined ? {} : { name }),
      ...(mediaType === undefined ? {} : { mediaType }),
    }
  } catch (error) {
    return { kind: 'unreachable', why: fetchFailureReason(error) }
  }
}

function failureOf({ status, headers }: Response): FetchedFile | undefined {
  if (status === 200) return undefined
  if (status >= 300 && status < 400) return { kind: 'refused', why: 'no_permission' }
  if (status === 401 || status === 403) return { kind: 'refused', why: 'no_permission' }
  if (status === 404 || status === 410) return { kind: 'refused', why: 'gone' }
  if (status === 429) return toBusy(headers.get('retry-after'))
  return { kind: 'unreachable', why: `the file was answered ${status}` }
}

/** An HTML page in place of a file that is not HTML or has another size. */
function isSignInPage(
  response: Response,
  content: Buffer,
  { mediaType, bytes }: FoundFile,
): boolean {
  const isPage = response.headers.get('content-type')?.startsWith('text/html') === true
  if (!isPage) return false
  return mediaType?.startsWith('text/html') !== true || (bytes ?? -1) !== content.length
}
