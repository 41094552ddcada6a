import type { Card, CardStatus } from '../../../domain/approval.ts'
import type { GrantLife } from '../../../domain/grant-life.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import { assertNever } from '../../../util/guards.ts'
import {
  cancelReason,
  elapsedWords,
  lifeOf,
  nameWords,
  shortPattern,
  tookWords,
  visibleLine,
} from './card-words.ts'

/** A part of a line. Foreign text is `code`, or a `name` that cannot read like a line of the product. */
export interface Piece {
  readonly text: string
  readonly style?: 'strong' | 'name' | 'code'
  /** The point in time that the text names, in seconds since 1970. */
  readonly instant?: number
}

export type Line = readonly Piece[]

export interface StateView {
  readonly messages: Messages
  /** Time of day, with the date unless it is today's. */
  readonly at: (time: string) => Piece
  /** The expiry of a card. */
  readonly until: (time: string) => Piece
  /** Running time, if known, in milliseconds. */
  readonly elapsedMs?: number | undefined
  /** Whether a reply to the card's message is possible. */
  readonly takesReplies: boolean
}

/** APPR-13: the state of a card; only stored states are shown. */
export function stateOf({ status, alwaysPatterns }: Card, view: StateView): Line {
  const { messages } = view
  const { display } = messages
  const by = (words: string, person: { readonly by: string; readonly at?: string }): Piece[] => [
    { text: words },
    { text: nameWords(messages, person.by), style: 'name' },
    ...(person.at === undefined ? [] : [{ text: ', ' }, view.at(person.at)]),
  ]
  const granted = grantPieces(messages, status, alwaysPatterns)
  switch (status.kind) {
    case 'waiting':
      return [{ text: display.waiting, style: 'strong' }]
    case 'approved':
      return [...by(`✅ ${display.approvedBy}`, status), ...granted]
    case 'granted':
      return [{ text: `✅ ${grantText(messages, status.life)}` }]
    case 'denying': {
      const how = view.takesReplies ? display.canReply : display.canAddReason
      return [
        ...by(`🚫 ${display.deniedBy}`, status),
        ...timed(display.untilTime, view.at(status.until)),
        { text: nameWords(messages, status.by), style: 'name' },
        { text: how },
      ]
    }
    case 'denied': {
      const { reason } = status
      const why: Piece[] = reason === undefined ? [] : [{ text: ': ' }, { text: shortened(reason) }]
      return [...by(`🚫 ${display.deniedBy}`, status), ...why]
    }
    case 'expired':
      return [{ text: '⌛ ' }, ...timed(display.expired, view.at(status.at))]
    case 'cancelled': {
      const { words, name } = cancelReason(messages, status)
      return [
        { text: `⚪ ${display.cancelled({ why: shortened(words) })}` },
        { text: name, style: 'name' },
      ]
    }
    case 'running': {
      const { elapsedMs } = view
      const elapsed = elapsedMs === undefined ? '' : ` (${elapsedWords(elapsedMs)})`
      return [
        ...by(`⏳ ${display.approvedBy}`, status),
        ...granted,
        { text: ` → ${display.running}${elapsed}` },
      ]
    }
    case 'finished': {
      const { outcome, isSuccess, durationMs } = status
      const end = `${shortened(outcome)} (${tookWords(durationMs)})`
      return [
        ...by(`${isSuccess ? '✅' : '❌'} ${display.approvedBy}`, status),
        ...granted,
        { text: ` → ${end}` },
      ]
    }
    default:
      return assertNever(status)
  }
}

function grantText(
  { approvals, display }: Messages,
  life: Extract<CardStatus, { kind: 'granted' }>['life'],
): string {
  if (life === undefined) return display.allowedByRule
  return display.allowedByGrant({ life: approvals.lives[life] })
}

/** The grant that was given with the decision, and its duration (APPR-15); several patterns are in the details. */
function grantPieces(
  { approvals, display }: Messages,
  status: CardStatus,
  patterns: readonly string[],
): Piece[] {
  const life = grantLife(status)
  if (life === undefined) return []
  const short = shortPattern(patterns)
  const what: Piece =
    short === undefined ? { text: display.patternsBelow } : { text: short, style: 'code' }
  return [{ text: '; ' }, what, { text: ` ${approvals.lives[life]}` }]
}

export function grantLife(status: CardStatus): GrantLife | undefined {
  return status.kind === 'approved' && status.always ? 'always' : lifeOf(status)
}

/** Limit of foreign text in a state, in UTF-16 units; covers the longest reason unless it has hidden characters. */
const maxForeignText = 500

function shortened(text: string): string {
  const visible = visibleLine(text)
  return visible.length <= maxForeignText
    ? visible
    : `${visible.slice(0, maxForeignText - 1).toWellFormed()}…`
}

export function codePiece(text: string): Piece {
  return { text: visibleLine(text), style: 'code' }
}

/** Stands for a time within a message; no message has such a character. */
const slot = '\0'

/** A message with a time in it, which stays a piece of its own. */
export function timed(message: (of: { readonly time: string }) => string, time: Piece): Line {
  const [before = '', after = ''] = message({ time: slot }).split(slot)
  return [{ text: before }, time, { text: after }].filter(({ text }) => text !== '')
}
