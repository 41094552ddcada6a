import type { Card } from '../../../../domain/approval.ts'
import { grantWords } from '../../../../domain/grant-life.ts'
import {
  fileWords,
  keptWords,
  lifeOf,
  nameWords,
  shortPattern,
  whoMayAnswer,
} from '../card-words.ts'
import { groupReasons } from '../group-reasons.ts'
import { cardMarker } from '../printable.ts'
import { type CardRoom, putLine } from './card-room.ts'
import { byWhom, type Put, type StatusView, statusRuns, untilWords } from './card-status.ts'
import { bold, code, italic, type Run, run } from './run.ts'
import { type Line, stacked } from './stacked.ts'
import { whatLines } from './what-lines.ts'

/** APPR-02: everything a card says. The line of truth is the last, just above the buttons. */
export function cardRuns(card: Card, view: StatusView, room: CardRoom): Run[] {
  const put: Put = (text) => putLine(text, room.line)
  const waits = card.status.kind === 'waiting'
  const title = `Question ${card.number} · ${put(card.tool)} for ${nameWords(card.requestedBy)}`
  return stacked([
    [[run(`${cardMarker} ${title}`, bold)], ...whatLines(card, room)],
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

/** One stands behind its label, several below it. */
function entryLines(label: string, entries: readonly Run[], room: CardRoom): Line[] {
  const [only] = entries
  if (only === undefined) return []
  if (entries.length === 1) return [[run(label, bold), run(' '), only]]
  const bulleted = entries.map((entry) => [run('• '), entry])
  return [[run(label, bold)], ...rows(bulleted, room)]
}

/** APPR-23: what *Always* would allow, and for whom; once it was tapped, what it allows. */
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
  return [...entryLines('Always would allow', patterns, room), forWhom(card)]
}

function forWhom({ requestedBy }: Card): Line {
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

/** APPR-12: who approved so far, where more than one person must. */
function voteLines({ votes }: Card, view: StatusView): Line[] {
  if (votes === undefined) return []
  const each = votes.by.map(({ name: by, at }, index) =>
    byWhom(index === 0 ? '' : ';', { by, at }, view),
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

/** As many as there is room for, and how many more there are. */
function rows(lines: readonly Line[], { entries }: CardRoom): Line[] {
  const missing = lines.length - entries
  return [
    ...lines.slice(0, entries),
    ...(missing > 0 ? [[run(`⋯ ${missing} more not shown here ⋯`)]] : []),
  ]
}

/** APPR-15: the second row of buttons says for how long. */
const belowIt = ' The buttons below it allow the same until then, to nobody else.'

const excerpt = 'The whole is in the file above; what is shown here is an excerpt.'
