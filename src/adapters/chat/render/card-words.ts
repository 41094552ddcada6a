import type { Card, CardFile, CardStatus } from '../../../domain/approval.ts'
import type { GrantEnd } from '../../../domain/grant-life.ts'
import { toVisible } from './printable.ts'

/** How long a card lives still: `23 h 59 min`; undefined: it has expired, or nobody knows when it will. */
export function timeLeft(expiresAt: string, now: number): string | undefined {
  const minutes = Math.floor((Date.parse(expiresAt) - now) / 60_000)
  if (!(minutes >= 0)) return undefined
  if (minutes === 0) return 'less than a minute'
  const hours = Math.floor(minutes / 60)
  const parts = [hours > 0 ? `${hours} h` : '', minutes % 60 > 0 ? `${minutes % 60} min` : '']
  return parts.filter((part) => part !== '').join(' ')
}

/** How long something took: `1.2 s`, and from a minute on `2 min 5 s`. */
export function tookWords(durationMs: number): string {
  return durationMs < 60_000 ? `${(durationMs / 1000).toFixed(1)} s` : elapsedWords(durationMs)
}

/** How long something has run: `8 s`, `2 min 5 s`, `1 h 3 min`. */
export function elapsedWords(elapsedMs: number): string {
  const seconds = Math.max(0, Math.floor(elapsedMs / 1000))
  if (seconds < 60) return `${seconds} s`
  const minutes = Math.floor(seconds / 60)
  if (minutes < 60) return `${minutes} min ${seconds % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** APPR-16: the file that holds the whole, so that it can be told from another. */
export function fileWords({ name, lines, bytes, sha256 }: CardFile): string {
  const many = `${grouped(lines)} ${lines === 1 ? 'line' : 'lines'}, ${grouped(bytes)} bytes`
  return `${visibleLine(name)} (${many}, sha-256 ${sha256.slice(0, 16)}…)`
}

/** CHAT-08: what became of messages that came while the card waits. */
export function keptWords(messages: number): string {
  const [what, them] = messages === 1 ? ['message', 'it'] : ['messages', 'them']
  return `${messages} ${what} kept meanwhile; the model reads ${them} at its next step. This still waits.`
}

/** Signs of a card's status, and what separates its parts. */
const signs = /[→·,✅❌⏳⌛🚫⚪]\ufe0f?/gu
const longestName = 160
const longestHead = 90
const longestPattern = 80

/**
 * A name in a line of ours: it cannot read like what became of a question (THREAT-23). One that is too long is cut in its
 * middle, since what tells it from another like it stands at its end.
 */
export function nameWords(name: string): string {
  const words = [...visibleLine(name).replaceAll(signs, ' ').replaceAll(/ +/g, ' ').trim()]
  if (words.length === 0) return '⟨no name⟩'
  if (words.length <= longestName) return words.join('')
  const tail = words.slice(longestHead + 1 - longestName)
  return `${words.slice(0, longestHead).join('')}…${tail.join('')}`
}

/** Who may answer, as the name of whoever asked and our words behind it. */
export function whoMayAnswer(card: Pick<Card, 'requestedBy' | 'whoMayAnswer'>): {
  readonly name: string
  readonly words: string
} {
  const { requestedBy, whoMayAnswer: who } = card
  if (requestedBy === '' || !who.startsWith(requestedBy))
    return { name: '', words: visibleLine(who) }
  return { name: nameWords(requestedBy), words: visibleLine(who.slice(requestedBy.length)) }
}

/** Why a card was cancelled: our words, and the name of whoever did it, if they name somebody. */
export function whyCancelled(why: string): { readonly words: string; readonly name: string } {
  const [, words, name] = /^(stopped by )(.+)$/s.exec(why) ?? []
  if (words === undefined || name === undefined) return { words: visibleLine(why), name: '' }
  return { words, name: nameWords(name) }
}

/** APPR-15: what an answer allowed from then on, where it fits into the line that says so; else the list of it does. */
export function shortPattern(patterns: readonly string[]): string | undefined {
  const [only] = patterns
  if (only === undefined || patterns.length > 1) return undefined
  const words = visibleLine(only)
  return words.length <= longestPattern ? words : undefined
}

/** The end of what was allowed with an answer, whatever became of the call since; undefined: it has none. */
export function lifeOf(status: CardStatus): GrantEnd | undefined {
  const { kind } = status
  return kind === 'approved' || kind === 'running' || kind === 'finished' ? status.life : undefined
}

/** Others' words in a line of ours: nothing hidden, not even that they were several lines. */
export function visibleLine(text: string): string {
  return toVisible(text).replaceAll('\n', '⟨U+000A⟩')
}

function grouped(number: number): string {
  return number.toLocaleString('en-US')
}
