import type { FetchedFile } from '../../../ports/chat.ts'

const defaultSeconds = 5
const longestSeconds = 60

/** CHAT-07: a platform asks to wait with a file: as long as it says, but a second at least and a minute at most. */
export function toBusy(asked: string | number | null | undefined): FetchedFile {
  const seconds = Number(asked) || defaultSeconds
  return { kind: 'busy', afterMs: Math.min(Math.max(1, seconds), longestSeconds) * 1_000 }
}
