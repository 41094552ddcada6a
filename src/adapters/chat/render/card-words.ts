import type { BatchCard, Card, CardFile, CardStatus } from '../../../domain/approval.ts'
import type { GrantEnd } from '../../../domain/grant-life.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { toVisible } from './printable.ts'

/** Name of an approval, by the number that commands take: `Approval 12`. */
export function approvalName({ display }: Messages, number: number): string {
  return display.approval({ number })
}

/** Name of the approvals of a batch: `Approvals 3 to 8`. */
export function approvalsName(messages: Messages, batch: BatchCard): string {
  return messages.display.approvals({ numbers: numbersOf(messages, batch) })
}

/** `3 to 8`, or all of them if some are missing. */
export function numbersOf({ display }: Messages, { cards }: BatchCard): string {
  const numbers = cards.map(({ number }) => number)
  const [first = 0] = numbers
  const last = numbers.at(-1) ?? first
  return last - first === numbers.length - 1 ? display.range({ first, last }) : numbers.join(', ')
}

/** Remaining time of a card, as `23 h 59 min`; undefined if it has expired or the time is invalid. */
export function timeLeft(
  { display }: Messages,
  expiresAt: string,
  now: number,
): string | undefined {
  const minutes = Math.floor((Date.parse(expiresAt) - now) / 60_000)
  if (!(minutes >= 0)) return undefined
  if (minutes === 0) return display.lessThanMinute
  const hours = Math.floor(minutes / 60)
  const parts = [hours > 0 ? `${hours} h` : '', minutes % 60 > 0 ? `${minutes % 60} min` : '']
  return parts.filter((part) => part !== '').join(' ')
}

/** A duration as `1.2 s`, from one minute on as `2 min 5 s`. */
export function tookWords(durationMs: number): string {
  return durationMs < 60_000 ? `${(durationMs / 1000).toFixed(1)} s` : elapsedWords(durationMs)
}

/** A running time as `8 s`, `2 min 5 s` or `1 h 3 min`. */
export function elapsedWords(elapsedMs: number): string {
  const seconds = Math.max(0, Math.floor(elapsedMs / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** Size of the file with the complete text (APPR-16). */
export function fileSize(
  { display }: Messages,
  { lines, bytes }: Pick<CardFile, 'lines' | 'bytes'>,
): string {
  return display.size({ lines, bytes })
}

/** Identifies that file, for the details. */
export function fileWords(messages: Messages, { name, sha256, ...size }: CardFile): string {
  return `${visibleLine(name)} (${fileSize(messages, size)}, sha-256 ${sha256.slice(0, 16)}…)`
}

/** Signs of a card's status, and separators of its parts. */
const signs = /[→·,✅❌⏳⌛🚫⚪]\ufe0f?/gu
const longestName = 160
const longestHead = 90
const longestPattern = 80

/**
 * A name for use in a line of the product, which cannot read like a status (THREAT-23). A long one is cut in the middle, as
 * similar names often differ at the end.
 */
export function nameWords({ display }: Messages, name: string): string {
  const words = [...visibleLine(name).replaceAll(signs, ' ').replaceAll(/ +/g, ' ').trim()]
  if (words.length === 0) return display.noName
  if (words.length <= longestName) return words.join('')
  const tail = words.slice(longestHead + 1 - longestName)
  return `${words.slice(0, longestHead).join('')}…${tail.join('')}`
}

/** Who may decide: the name of the requester, and the text after it. */
export function whoMayAnswer(
  messages: Messages,
  card: Pick<Card, 'requestedBy' | 'whoMayAnswer'>,
): {
  readonly name: string
  readonly words: string
} {
  const { requestedBy, whoMayAnswer: who } = card
  if (requestedBy === '' || !who.startsWith(requestedBy))
    return { name: '', words: visibleLine(who) }
  return {
    name: nameWords(messages, requestedBy),
    words: visibleLine(who.slice(requestedBy.length)),
  }
}

/** Reason of a cancellation: text of the product, and the name of the person who cancelled, if one did. */
export function cancelReason(
  messages: Messages,
  { why, by }: Extract<CardStatus, { kind: 'cancelled' }>,
): {
  readonly words: string
  readonly name: string
} {
  if (by === undefined) return { words: visibleLine(why), name: '' }
  return {
    words: `${visibleLine(why)}${messages.display.byName}`,
    name: nameWords(messages, by),
  }
}

/** The granted pattern, if it is single and short enough for the status line; otherwise the card lists them (APPR-15). */
export function shortPattern(patterns: readonly string[]): string | undefined {
  const [only] = patterns
  if (only === undefined || patterns.length > 1) return undefined
  const words = visibleLine(only)
  return words.length <= longestPattern ? words : undefined
}

/** End of the grant that was given with a decision; undefined if there is none. */
export function lifeOf(status: CardStatus): GrantEnd | undefined {
  const { kind } = status
  return kind === 'approved' || kind === 'running' || kind === 'finished' ? status.life : undefined
}

/** Foreign text for a line of the product: hidden characters and line breaks are shown. */
export function visibleLine(text: string): string {
  return toVisible(text).replaceAll('\n', '⟨U+000A⟩')
}
