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
import { callLines } from './call-lines.ts'
import { type CardRoom, putLine } from './card-room.ts'
import { byPerson, type Put, type StatusView, statusRuns, untilWords } from './card-status.ts'
import { bold, code, italic, type Run, run } from './run.ts'
import { type Line, stacked } from './stacked.ts'

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
