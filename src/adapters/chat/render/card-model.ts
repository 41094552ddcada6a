import type { Card } from '../../../domain/approval.ts'
import { type EffectLine, effectLines } from '../../../domain/effect.ts'
import type { Messages } from '../../../domain/messages/messages.ts'
import {
  codePiece,
  grantLife,
  type Line,
  type Piece,
  type StateView,
  stateOf,
  timed,
} from './card-state.ts'
import {
  fileSize,
  fileWords,
  nameWords,
  shortPattern,
  visibleLine,
  whoMayAnswer,
} from './card-words.ts'
import { groupReasons } from './group-reasons.ts'

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

export function cardModel(card: Card, view: StateView): CardModel {
  return {
    headline: headlineOf(view.messages, card),
    effects: effectRows(view.messages, card),
    notes: notesOf(card, view),
    state: stateOf(card, view),
    details: detailsOf(card, view),
  }
}

/** “Ada's agent wants to run a command in shop-api:” */
function headlineOf(messages: Messages, { requestedBy, does, tool, where }: Card): Line {
  const { display } = messages
  const what = does ?? display.useTool({ tool: visibleLine(tool) })
  return [
    { text: display.agentOf({ name: nameWords(messages, requestedBy) }), style: 'strong' },
    { text: display.wantsTo({ what: visibleLine(what) }) },
    ...(where === undefined ? [] : [{ text: display.inPlace }, codePiece(where)]),
    { text: ':' },
  ]
}

/** CARD-02: every effect and warning; a card of an older version has reasons instead, and shows them all. */
export function effectRows({ display }: Messages, card: Card): Line[] {
  const { effects, reasons, tool, warning } = card
  const lines: readonly EffectLine[] =
    effects === undefined
      ? groupReasons(reasons, tool).map((words) => ({ sign: '⚠️', words, of: [] }))
      : effectLines(effects, display.effects)
  const warnings = warning?.split('\n').map((words) => ({ sign: '⚠️', words, of: [] })) ?? []
  return [...lines, ...warnings].map(({ sign, words, of }) => [
    { text: `${sign} ${visibleLine(words)}${of.length === 0 ? '' : ': '}` },
    ...(of.length === 0 ? [] : [codePiece(of.join(', '))]),
  ])
}

function notesOf(card: Card, view: StateView): Line[] {
  const { file, messagesKept: count = 0, status, votes } = card
  const { messages } = view
  const { display } = messages
  const waits = status.kind === 'waiting'
  return [
    ...(waits && file !== undefined
      ? [[{ text: `📎 ${display.excerpt({ size: fileSize(messages, file) })}` }]]
      : []),
    ...(waits && count > 0 ? [[{ text: `💬 ${display.kept({ count })}` }]] : []),
    ...(waits ? habitNotes(card, view) : []),
    ...(votes === undefined ? [] : [votesLine(votes, view)]),
  ]
}

/** CARD-07: the proposal to allow what was approved often. */
function habitNotes({ habit, alwaysPatterns }: Card, { at, messages }: StateView): Line[] {
  const [pattern] = alwaysPatterns
  if (habit === undefined || pattern === undefined) return []
  const { times } = habit
  const words = timed(({ time }) => messages.display.habit({ times, since: time }), at(habit.since))
  return [[{ text: '🔁 ' }, ...words, codePiece(pattern)]]
}

/** Approvals so far, if more than one person must approve (APPR-12). */
function votesLine({ by, people }: NonNullable<Card['votes']>, { at, messages }: StateView): Line {
  const each = by.flatMap(({ name, at: time }, index): Piece[] => [
    { text: index === 0 ? ' ' : '; ' },
    { text: nameWords(messages, name), style: 'name' },
    { text: ', ' },
    at(time),
  ])
  const votes = messages.approvals.votes({ approved: by.length, people })
  return [{ text: `${votes}:` }, ...each]
}

/** The details, with what is harmless first, as Telegram shows three lines of a folded quote. */
function detailsOf(card: Card, view: StateView): Detail[] {
  const { status, alwaysPatterns } = card
  const { messages } = view
  const { approvals, display } = messages
  const { details } = display
  const patterns = alwaysPatterns.map((pattern): Line => [codePiece(pattern)])
  const life = grantLife(status)
  if (life !== undefined && shortPattern(alwaysPatterns) === undefined)
    return [{ label: display.allowed({ life: approvals.lives[life] }), values: patterns }]
  if (status.kind !== 'waiting') return fileDetails(messages, card)
  const { name, words } = whoMayAnswer(messages, card)
  return [
    { label: details.who, values: [[{ text: name, style: 'name' }, { text: words }]] },
    {
      label: details.until,
      values: [[view.until(card.expiresAt), ...thenPieces(messages, card)]],
    },
    ...deputyDetails(card, view),
    ...(card.risk === undefined
      ? []
      : [{ label: details.risk, values: [[{ text: display.risks[card.risk] }]] }]),
    { label: details.approval, values: [[{ text: `${card.number} · ${visibleLine(card.tool)}` }]] },
    ...reasonDetails(messages, card),
    ...(patterns.length === 0
      ? [{ label: details.always, values: [[{ text: display.notOffered }]] }]
      : [
          { label: details.alwaysAllows, values: patterns, ofAlways: true as const },
          { label: details.for, values: [beneficiary(messages, card)], ofAlways: true as const },
        ]),
    ...fileDetails(messages, card),
  ]
}

/** CARD-08: what happens when nobody answers. */
function thenPieces({ display }: Messages, { unanswered }: Card): Line {
  if (unanswered === undefined) return []
  return [{ text: `, ${display.afterExpiry[unanswered.action]}` }]
}

function deputyDetails({ unanswered }: Card, view: StateView): Detail[] {
  const at = unanswered?.escalatesAt
  if (at === undefined) return []
  const { details, deputy } = view.messages.display
  return [{ label: details.unanswered, values: [timed(deputy, view.at(at))] }]
}

function reasonDetails({ display }: Messages, { effects, reasons, tool }: Card): Detail[] {
  if (effects === undefined || reasons.length === 0) return []
  const values = groupReasons(reasons, tool).map((reason): Line => [{ text: visibleLine(reason) }])
  return [{ label: display.details.why, values }]
}

function beneficiary(messages: Messages, { requestedBy }: Card): Line {
  return [
    { text: nameWords(messages, requestedBy), style: 'name' },
    { text: messages.display.untilClear },
  ]
}

function fileDetails(messages: Messages, { file }: Card): Detail[] {
  if (file === undefined) return []
  return [{ label: messages.display.details.file, values: [[{ text: fileWords(messages, file) }]] }]
}
