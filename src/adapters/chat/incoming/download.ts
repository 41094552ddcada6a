import type { FetchedFile } from '../../../ports/chat.ts'

/** Reads the body of a response; undefined if it is longer than `maxBytes`. Rejects if the connection breaks. */
export async function readLimited(
  response: Response,
  maxBytes: number,
): Promise<Buffer | undefined> {
  const declared = Number(response.headers.get('content-length') ?? 0)
  if (declared > maxBytes || response.body === null) {
    await response.body?.cancel()
    return declared > maxBytes ? undefined : Buffer.alloc(0)
  }
  const parts: Uint8Array[] = []
  let size = 0
  // Leaving the loop cancels the rest of the body.
  for await (const part of response.body) {
    size += part.length
    if (size > maxBytes) return undefined
    parts.push(part)
  }
  return Buffer.concat(parts)
}

const defaultSeconds = 5
const maxSeconds = 60

/**
 * The result for a platform that asks to retry later (CHAT-07): after the time it names, at least a second and at most a
 * minute.
 */
export function toBusy(requested: string | number | null | undefined): FetchedFile {
  const seconds = Number(requested) || defaultSeconds
  return { kind: 'busy', afterMs: Math.min(Math.max(1, seconds), maxSeconds) * 1_000 }
}

/**
 * Reason why a fetch rejected. Messages of the network stack are not used, as they contain the URL and possibly a token
 * (THREAT-14).
 */
export function fetchFailureReason(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown'
  if (error.name === 'TimeoutError' || error.name === 'AbortError') return 'no time left'
  const inner = error.cause instanceof Error ? error.cause : error
  const code: unknown = Reflect.get(inner, 'code')
  return typeof code === 'string' && /^[A-Z][A-Z0-9_]*$/.test(code) ? code : 'it broke off'
}
