import type { Card, CardStatus } from '../../../domain/approval.ts'
import { type EffectLine, effectLines } from '../../../domain/effect.ts'
import { type GrantLife, grantWords } from '../../../domain/grant-life.ts'
import { assertNever } from '../../../util/guards.ts'
import {
  cancelReason,
  elapsedWords,
  fileSize,
  fileWords,
  keptWords,
  lifeOf,
  nameWords,
  shortPattern,
  tookWords,
  visibleLine,
  whoMayAnswer,
} from './card-words.ts'
import { groupReasons } from './group-reasons.ts'

/** A part of a line. Foreign text is `code`, or a `name` that cannot read like a line of the product. */
export interface Piece {
  readonly text: string
  readonly style?: 'strong' | 'name' | 'code'
}

export type Line = readonly Piece[]

/** A labelled entry of the details. */
export interface Detail {
  readonly label: string
  readonly values: readonly Line[]
  /** Says what *Always* would allow, and to whom. */
  readonly ofAlways?: true
}

/** CARD-01: everything a card says apart from the call itself, in the order in which it is read. */
export interface CardModel {
  /** Who wants what, where. */
  readonly headline: Line
  /** What the call would do, and warnings about the box. */
  readonly effects: readonly Line[]
  /** The file with all of it, messages that were kept, and the approvals so far. */
  readonly notes: readonly Line[]
  readonly state: Line
  /** CARD-02: what no safe decision needs; after the decision, the patterns of its grant if they are several. */
  readonly details: readonly Detail[]
}

export interface StateView {
  /** Time of day, with the date unless it is today's. */
  readonly at: (time: string) => string
  /** The expiry of a card. */
  readonly until: (time: string) => string
  /** Running time, if known, in milliseconds. */
  readonly elapsedMs?: number | undefined
  /** Whether a reply to the card's message is possible. */
  readonly takesReplies: boolean
}

export function cardModel(card: Card, view: StateView): CardModel {
  return {
    headline: headlineOf(card),
    effects: effectRows(card),
    notes: notesOf(card, view),
    state: stateOf(card, view),
    details: detailsOf(card, view),
  }
}

/** “Ada's agent wants to run a command in shop-api:” */
function headlineOf({ requestedBy, does, tool, where }: Card): Line {
  const what = does ?? `use ${visibleLine(tool)}`
  return [
    { text: `${nameWords(requestedBy)}'s agent`, style: 'strong' },
    { text: ` wants to ${visibleLine(what)}` },
    ...(where === undefined ? [] : [{ text: ' in ' }, codePiece(where)]),
    { text: ':' },
  ]
}

/** CARD-02: every effect and warning; a card of an older version has reasons instead, and shows them all. */
export function effectRows(card: Card): Line[] {
  const { effects, reasons, tool, warning } = card
  const lines: readonly EffectLine[] =
    effects === undefined
      ? groupReasons(reasons, tool).map((words) => ({ sign: '⚠️', words, of: [] }))
      : effectLines(effects)
  const warnings = warning?.split('\n').map((words) => ({ sign: '⚠️', words, of: [] })) ?? []
  return [...lines, ...warnings].map(({ sign, words, of }) => [
    { text: `${sign} ${visibleLine(words)}${of.length === 0 ? '' : ': '}` },
    ...(of.length === 0 ? [] : [codePiece(of.join(', '))]),
  ])
}

function codePiece(text: string): Piece {
  return { text: visibleLine(text), style: 'code' }
}

function notesOf(card: Card, view: StateView): Line[] {
  const { file, messagesKept = 0, status, votes } = card
  const waits = status.kind === 'waiting'
  return [
    ...(waits && file !== undefined
      ? [[{ text: `📎 This is an excerpt: the file above has all of it (${fileSize(file)}).` }]]
      : []),
    ...(waits && messagesKept > 0 ? [[{ text: `💬 ${keptWords(messagesKept)}` }]] : []),
    ...(waits ? habitNotes(card, view) : []),
    ...(votes === undefined ? [] : [votesLine(votes, view)]),
  ]
}

/** CARD-07: the proposal to allow what was approved often. */
function habitNotes({ habit, alwaysPatterns }: Card, { at }: StateView): Line[] {
  const [pattern] = alwaysPatterns
  if (habit === undefined || pattern === undefined) return []
  const words = `🔁 Approved ${habit.times} times since ${at(habit.since)} and not denied: Always allows `
  return [[{ text: words }, codePiece(pattern)]]
}

/** Approvals so far, if more than one person must approve (APPR-12). */
function votesLine({ by, people }: NonNullable<Card['votes']>, { at }: StateView): Line {
  const each = by.flatMap(({ name, at: time }, index): Piece[] => [
    { text: index === 0 ? ' ' : '; ' },
    { text: nameWords(name), style: 'name' },
    { text: `, ${at(time)}` },
  ])
  return [{ text: `${by.length} of ${people} approved:` }, ...each]
}

/** APPR-13: the state of a card; only stored states are shown. */
export function stateOf({ status, alwaysPatterns }: Card, view: StateView): Line {
  const by = (words: string, person: { readonly by: string; readonly at?: string }): Piece[] => [
    { text: `${words} ` },
    { text: nameWords(person.by), style: 'name' },
    ...(person.at === undefined ? [] : [{ text: `, ${view.at(person.at)}` }]),
  ]
  const granted = grantPieces(status, alwaysPatterns)
  switch (status.kind) {
    case 'waiting':
      return [{ text: 'Waiting for an answer.', style: 'strong' }]
    case 'approved':
      return [...by('✅ Approved by', status), ...granted]
    case 'granted':
      return [{ text: `✅ Allowed by ${grantName(status.life)}` }]
    case 'denying': {
      const how = view.takesReplies
        ? ' can reply to this message with the reason, or tap Just deny.'
        : ' can add the reason.'
      return [
        ...by('🚫 Denied by', status),
        ...by(`. Until ${view.at(status.until)}`, { by: status.by }),
        { text: how },
      ]
    }
    case 'denied': {
      const { reason } = status
      const why: Piece[] = reason === undefined ? [] : [{ text: ': ' }, { text: shortened(reason) }]
      return [...by('🚫 Denied by', status), ...why]
    }
    case 'expired':
      return [{ text: `⌛ Expired, ${view.at(status.at)}: nobody answered in time` }]
    case 'cancelled': {
      const { words, name } = cancelReason(status)
      return [{ text: `⚪ Cancelled: ${shortened(words)}` }, { text: name, style: 'name' }]
    }
    case 'running': {
      const { elapsedMs } = view
      const elapsed = elapsedMs === undefined ? '' : ` (${elapsedWords(elapsedMs)})`
      return [...by('⏳ Approved by', status), ...granted, { text: ` → running${elapsed}` }]
    }
    case 'finished': {
      const { outcome, isSuccess, durationMs } = status
      const end = `${shortened(outcome)} (${tookWords(durationMs)})`
      return [
        ...by(`${isSuccess ? '✅' : '❌'} Approved by`, status),
        ...granted,
        { text: ` → ${end}` },
      ]
    }
    default:
      return assertNever(status)
  }
}

function grantName(life: Extract<CardStatus, { kind: 'granted' }>['life']): string {
  return life === undefined
    ? 'a rule made with “Always”'
    : `a grant that was given ${grantWords[life]}`
}

/** The grant that was given with the decision, and its duration (APPR-15); several patterns are in the details. */
function grantPieces(status: CardStatus, patterns: readonly string[]): Piece[] {
  const life = grantLife(status)
  if (life === undefined) return []
  const short = shortPattern(patterns)
  const what: Piece =
    short === undefined ? { text: 'the patterns below' } : { text: short, style: 'code' }
  return [{ text: '; ' }, what, { text: ` ${grantWords[life]}` }]
}

function grantLife(status: CardStatus): GrantLife | undefined {
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

/** The details, with what is harmless first, as Telegram shows three lines of a folded quote. */
function detailsOf(card: Card, view: StateView): Detail[] {
  const { status, alwaysPatterns } = card
  const patterns = alwaysPatterns.map((pattern): Line => [codePiece(pattern)])
  const life = grantLife(status)
  if (life !== undefined && shortPattern(alwaysPatterns) === undefined)
    return [{ label: `Allowed ${grantWords[life]}`, values: patterns }]
  if (status.kind !== 'waiting') return fileDetails(card)
  const { name, words } = whoMayAnswer(card)
  return [
    { label: 'Who may answer', values: [[{ text: name, style: 'name' }, { text: words }]] },
    { label: 'Until', values: [[{ text: view.until(card.expiresAt) + thenWords(card) }]] },
    ...deputyDetails(card, view),
    ...(card.risk === undefined ? [] : [{ label: 'Risk', values: [[{ text: card.risk }]] }]),
    { label: 'Approval', values: [[{ text: `${card.number} · ${visibleLine(card.tool)}` }]] },
    ...reasonDetails(card),
    ...(patterns.length === 0
      ? [{ label: 'Always', values: [[{ text: 'is not offered here.' }]] }]
      : [
          { label: 'Always would allow', values: patterns, ofAlways: true as const },
          { label: 'For', values: [beneficiary(card)], ofAlways: true as const },
        ]),
    ...fileDetails(card),
  ]
}

/** CARD-08: what happens when nobody answers. */
function thenWords({ unanswered }: Card): string {
  return unanswered === undefined ? '' : `, ${afterExpiry[unanswered.action]}`
}

const afterExpiry = {
  deny: 'then it is denied',
  wait: 'then it waits again',
  stop: 'then the turn stops',
} as const

function deputyDetails({ unanswered }: Card, view: StateView): Detail[] {
  const at = unanswered?.escalatesAt
  if (at === undefined) return []
  return [{ label: 'If nobody answers', values: [[{ text: `a deputy is asked, ${view.at(at)}` }]] }]
}

function reasonDetails({ effects, reasons, tool }: Card): Detail[] {
  if (effects === undefined || reasons.length === 0) return []
  const values = groupReasons(reasons, tool).map((reason): Line => [{ text: visibleLine(reason) }])
  return [{ label: 'Why it asks', values }]
}

function beneficiary({ requestedBy }: Card): Line {
  return [
    { text: nameWords(requestedBy), style: 'name' },
    { text: ' until /clear; for everybody if an approver taps it' },
  ]
}

function fileDetails({ file }: Card): Detail[] {
  if (file === undefined) return []
  return [{ label: 'File', values: [[{ text: fileWords(file) }]] }]
}
