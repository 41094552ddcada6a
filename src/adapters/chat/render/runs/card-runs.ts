import type { Card } from '../../../../domain/approval.ts'
import { grantWords } from '../../../../domain/grant-life.ts'
import {
  fileWords,
  keptWords,
  lifeOf,
  nameWords,
  shortPattern,
  visibleLine,
  whoMayAnswer,
} from '../card-words.ts'
import { groupReasons } from '../group-reasons.ts'
import { cardMarker, toVisible } from '../printable.ts'
import { byPerson, type Put, type StatusView, statusRuns, untilWords } from './card-status.ts'
import { headOf, tailOfText } from './cut-text.ts'
import { bold, code, italic, lineBreak, type Marks, type Run, run } from './run.ts'

export const fullRoom: CardRoom = { what: Infinity, line: Infinity, entries: Infinity }

/** With this room every card fits into a message. */
export const minRoom: CardRoom = { what: 600, line: 80, entries: 5 }

/** Maximum size of a short block, which is never folded. */
const shortLines = 12

const shortUnits = 1_000

/** Title of a call that changes a file, followed by the diff. */
const diff = /^([^\n]+)\n\n((?:--- |@@ )[\s\S]*)$/

/** The content of a card (APPR-02). The status is the last line, directly above the buttons. */
export function cardRuns(card: Card, view: StatusView, room: CardRoom): Run[] {
  const put: Put = (text) => putLine(text, room.line)
  const waits = card.status.kind === 'waiting'
  const title = `Question ${card.number} · ${put(card.tool)} for ${nameWords(card.requestedBy)}`
  return stacked([
    [[run(`${cardMarker} ${title}`, bold)], ...callLines(card, room)],
    [
      ...entryLines(
        'Why',
        groupReasons(card.reasons, card.tool).map((reason) => run(put(reason))),
        room,
      ),
      ...grantLines(card, room, put),
      ...(waits ? answerLines(card, view, put) : []),
    ],
    noteLines(card, room, put),
    [...voteLines(card, view), statusRuns(card.status, view, put, card.alwaysPatterns)],
  ])
}

/** A single entry stands after its label, several below it. */
function entryLines(label: string, entries: readonly Run[], room: CardRoom): Line[] {
  const [only] = entries
  if (only === undefined) return []
  if (entries.length === 1) return [[run(label, bold), run(' '), only]]
  const bulleted = entries.map((entry) => [run('• '), entry])
  return [[run(label, bold)], ...rows(bulleted, room)]
}

/** The patterns that *Always* would allow, and for whom; afterwards, those it allows (APPR-23). */
function grantLines(card: Card, room: CardRoom, put: Put): Line[] {
  const { alwaysPatterns, status } = card
  const patterns = alwaysPatterns.map((pattern) => run(put(pattern), code))
  if (status.kind === 'approved' && status.always)
    return entryLines('Always allows', patterns, room)
  const life = lifeOf(status)
  if (life !== undefined && shortPattern(alwaysPatterns) === undefined)
    return entryLines(`Allowed ${grantWords[life]}`, patterns, room)
  if (status.kind !== 'waiting') return []
  if (patterns.length === 0) return [[run('Always is not offered here.')]]
  return [...entryLines('Always would allow', patterns, room), beneficiaryLine(card)]
}

function beneficiaryLine({ requestedBy }: Card): Line {
  const name = run(nameWords(requestedBy), bold)
  const always = ' until /clear; tapped by an approver or operator, for everybody.'
  return [run('for ', italic), name, run(always + belowIt, italic)]
}

function answerLines(card: Card, { now }: StatusView, put: Put): Line[] {
  const { name, words } = whoMayAnswer(card)
  return [
    ...(card.risk === undefined ? [] : [[run('Risk', bold), run(` ${card.risk}`)]]),
    [run('Who may answer', bold), run(' '), run(name, bold), run(put(words))],
    [run('Until', bold), run(` ${untilWords(card.expiresAt, now)}`)],
  ]
}

/** Approvals so far, if more than one person must approve (APPR-12). */
function voteLines({ votes }: Card, view: StatusView): Line[] {
  if (votes === undefined) return []
  const each = votes.by.map(({ name: by, at }, index) =>
    byPerson(index === 0 ? '' : ';', { by, at }, view),
  )
  return [[run(`${votes.by.length} of ${votes.people} approved:`, bold), ...each.flat()]]
}

function noteLines(
  { warning, file, messagesKept = 0, status }: Card,
  room: CardRoom,
  put: Put,
): Line[] {
  const kept = messagesKept > 0 && status.kind === 'waiting'
  return [
    ...rows(warning?.split('\n').map((line) => [run(`⚠️ ${put(line)}`)]) ?? [], room),
    ...(file === undefined ? [] : [[run(`📎 ${put(fileWords(file))}`)], [run(excerpt)]]),
    ...(kept ? [[run(`💬 ${keptWords(messagesKept)}`)]] : []),
  ]
}

/** As many lines as fit, and the number of the others. */
function rows(lines: readonly Line[], { entries }: CardRoom): Line[] {
  const missing = lines.length - entries
  return [
    ...lines.slice(0, entries),
    ...(missing > 0 ? [[run(`⋯ ${missing} more not shown here ⋯`)]] : []),
  ]
}

/** Refers to the second row of buttons, which limit the duration (APPR-15). */
const belowIt = ' The buttons below it allow the same until then, to nobody else.'

const excerpt = 'The whole is in the file above; what is shown here is an excerpt.'

export type Line = readonly Run[]

/** Joins groups of lines, with an empty line or a block of code between groups. */
export function stacked(groups: readonly (readonly Line[])[]): Run[] {
  const stack: Run[] = []
  for (const lines of groups) {
    for (const [index, line] of lines.entries()) {
      const above = stack.at(-1)
      const text = index > 0 || above?.marks.pre !== undefined ? '\n' : '\n\n'
      if (above !== undefined) stack.push({ ...lineBreak(), text })
      stack.push(...line)
    }
  }
  return stack
}

/**
 * The call itself, as a block of code, so that its text cannot pass for a line of the card (APPR-02, THREAT-23). It is not
 * folded while the approval is pending.
 */
export function callLines(
  { language = '', what, file, status }: Card,
  room: CardRoom,
): (readonly Run[])[] {
  const warning =
    status.kind === 'waiting'
      ? `: ${file === undefined ? 'do not approve this' : 'the file has all of it'}`
      : ''
  const how = { folds: status.kind !== 'waiting' }
  const [, title, change] = diff.exec(what) ?? []
  if (title !== undefined && change !== undefined) {
    return [
      [run(putLine(title, Math.min(room.what, room.line)), code)],
      [codeBlock(putBlock(change, room.what, warning), 'diff', how)],
    ]
  }
  const whole = putBlock(what, room.what, warning)
  const shown = whole.trim() === '' ? '⟨empty⟩' : whole
  return [[codeBlock(shown, language, how)]]
}

/** A block of code; with `folds`, a long one may be folded. */
export function codeBlock(text: string, language: string, { folds }: { folds: boolean }): Run {
  const marks: Marks = { pre: language }
  return run(text, folds && isLong(text) ? { ...marks, folded: true } : marks)
}

function isLong(text: string): boolean {
  return text.length > shortUnits || text.split('\n', shortLines + 1).length > shortLines
}

/** Room for the texts of a card, in UTF-16 units after hidden characters were made visible. */
export interface CardRoom {
  readonly what: number
  /** For each other line. */
  readonly line: number
  /** Maximum number of reasons, and of patterns. */
  readonly entries: number
}

/** Cuts a text of several lines in the middle, with a note of the omission. */
function putBlock(text: string, units: number, instead: string): string {
  const visible = toVisible(text)
  if (visible.length <= units) return visible
  const head = headOf(visible, Math.ceil(units * 0.6))
  const tail = tailOfText(visible, Math.floor(units * 0.4))
  const missing = [...visible].length - [...head].length - [...tail].length
  return `${head}\n⋯ ${missing} characters not shown here${instead} ⋯\n${tail}`
}

/** Cuts a text in a line at the end, with a note of the omission. */
export function putLine(text: string, units: number): string {
  const visible = visibleLine(text)
  if (visible.length <= units) return visible
  const head = headOf(visible, units)
  const missing = [...visible].length - [...head].length
  return `${head} ⋯ ${missing} characters not shown here ⋯`
}
