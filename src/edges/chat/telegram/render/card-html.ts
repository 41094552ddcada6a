import type { Card, CardAction } from '../../../../domain/approval.ts'
import { toPrintableLine } from '../../render/printable.ts'
import { allOfIt, type CardRoom, leastRoom } from './card-room.ts'
import { cardRuns } from './card-runs.ts'
import type { StatusView } from './card-status.ts'
import { cutText } from './cut-text.ts'
import { defuse } from './defuse.ts'
import { code, lineBreak, type Run, run, textOf } from './run.ts'
import { fits, messageLimit, sizeOfRuns } from './size.ts'
import { toHtml } from './to-html.ts'

export interface CardView extends StatusView {
  /** Of the output of what runs. */
  readonly lastLine?: string
}

export interface CardHtml {
  readonly html: string
  /** APPR-16: false where there was no room for all of it; then it must not be answered by a tap. */
  readonly isWhole: boolean
}

/** APPR-02, APPR-13: the card as one message, whatever its texts are. */
export function cardHtml(card: Card, view: CardView): CardHtml {
  const whole = compose(card, view, allOfIt)
  if (fits(sizeOfRuns(whole), messageLimit)) return { html: toHtml(whole), isWhole: true }
  const less = compose(card, view, { ...allOfIt, what: roomForWhat(card, whole) })
  if (fits(sizeOfRuns(less), messageLimit)) return { html: toHtml(less), isWhole: false }
  return { html: toHtml(compose(card, view, leastRoom)), isWhole: false }
}

function compose(card: Card, view: CardView, room: CardRoom): Run[] {
  const lastLine = cutText(toPrintableLine(view.lastLine ?? ''), 120)
  const showsOutput = card.status.kind === 'running' && lastLine !== ''
  const output = showsOutput ? [lineBreak(), run(lastLine, code)] : []
  return defuse([...cardRuns(card, view, room), ...output], 'commands and mentions', mostDefused)
}

/** So many stretches of code a line, that Telegram shows all of them. */
const mostDefused = 2

/** What is left for it beside everything else, and the words that say what is missing. */
function roomForWhat({ what }: Card, whole: readonly Run[]): number {
  const shown = whole.find(({ marks }) => marks.pre !== undefined)?.text ?? what
  return Math.max(leastRoom.what, shown.length - (textOf(whole).length - messageLimit.units) - 120)
}

/** A button below a card; `style` for servers that know it. */
export interface CardButton {
  readonly action: CardAction
  readonly label: string
  readonly style?: 'success' | 'danger'
}

/** TG-02, TG-03: the card's one row of buttons; none once it is settled. What nobody could see can only be denied. */
export function cardButtons({ status, alwaysPatterns, tooLarge }: Card): readonly CardButton[] {
  if (status.kind === 'denying')
    return [{ action: 'just_deny', label: 'Just deny', style: 'danger' }]
  if (status.kind !== 'waiting') return []
  const deny: CardButton = { action: 'deny', label: 'Deny', style: 'danger' }
  if (tooLarge === true) return [deny]
  const always: readonly CardButton[] =
    alwaysPatterns.length === 0 ? [] : [{ action: 'always', label: 'Always' }]
  return [{ action: 'approve', label: 'Approve', style: 'success' }, ...always, deny]
}

/** APPR-15: below it, what *Always* would allow, with an end. */
const lifeButtons: readonly CardButton[] = [
  { action: 'turn', label: 'This turn' },
  { action: '15m', label: '15 min' },
  { action: '1h', label: '1 h' },
  { action: '5x', label: '5×' },
]

/** APPR-14: what it asks about can be changed first. */
const editButton: CardButton = { action: 'edit', label: 'Edit' }

/** All buttons of a card, row by row. */
export function cardRows(card: Card): readonly (readonly CardButton[])[] {
  const buttons = cardButtons(card)
  if (buttons.length === 0) return []
  const offers = (wanted: CardAction) => buttons.some(({ action }) => action === wanted)
  return [
    buttons,
    ...(offers('always') ? [lifeButtons] : []),
    ...(offers('approve') ? [[editButton]] : []),
  ]
}
