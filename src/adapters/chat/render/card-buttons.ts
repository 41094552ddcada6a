import {
  type BatchAction,
  type BatchCard,
  type Card,
  type CardAction,
  pendingCards,
} from '../../../domain/approval.ts'
import { destructiveEffects } from '../../../domain/effect.ts'
import { grantEnds } from '../../../domain/grant-life.ts'
import { cardLabels } from './card-words.ts'

/** A button below a message; platforms without styles ignore `style`. */
export interface Button<Action> {
  readonly action: Action
  readonly label: string
  readonly style?: 'success' | 'danger'
}

export type CardButton = Button<CardAction>

/** Means of a platform that decide which buttons a card needs. */
export interface ButtonsView {
  /** Details can be unfolded on the message, so that no button is needed for them. */
  readonly folds?: true
  /** Characters of a label in a row of three that phones show without cutting it. */
  readonly labelLength: number
}

/**
 * CARD-03: all rows of a card's buttons; empty once it is settled. A card that is too large to be shown can only be denied
 * (TG-02, TG-03).
 */
export function cardRows(card: Card, view: ButtonsView): readonly (readonly CardButton[])[] {
  const { status, open, tooLarge } = card
  if (status.kind === 'denying')
    return [[{ action: 'just_deny', label: cardLabels.justDeny, style: 'danger' }]]
  if (status.kind !== 'waiting') return []
  const hasAlways = card.alwaysPatterns.length > 0 && tooLarge !== true
  const always = hasAlways && !isDangerous(card) ? [alwaysButton(card, view)] : []
  const isChoiceElsewhere = hasAlways && always[0]?.action !== 'choice'
  const decide = tooLarge === true ? [deny] : [approve, ...always, deny]
  const edit: readonly CardButton[] =
    tooLarge === true ? [] : [{ action: 'edit', label: cardLabels.edit }]
  const second = [...edit, ...moreButtons(card, view, isChoiceElsewhere)]
  const rows = second.length === 0 ? [decide] : [decide, second]
  if (open !== 'choice') return rows
  return hasAlways ? choiceRows(rows) : [[back]]
}

const approve: CardButton = { action: 'approve', label: cardLabels.approve, style: 'success' }
const deny: CardButton = { action: 'deny', label: cardLabels.deny, style: 'danger' }
const more = { action: 'details', label: cardLabels.more } as const
const back = { action: 'back', label: cardLabels.back } as const

/** Buttons that lead to the details and to the choices of *Always*, where the first row does not. */
function moreButtons(
  { open }: Card,
  { folds }: ButtonsView,
  isChoiceElsewhere: boolean,
): readonly CardButton[] {
  if (folds === true) return isChoiceElsewhere ? [{ action: 'choice', label: cardLabels.more }] : []
  if (open === undefined) return [more]
  return [
    back,
    ...(isChoiceElsewhere ? [{ action: 'choice', label: cardLabels.choice } as const] : []),
  ]
}

/**
 * Choices of *Always* (APPR-15) above the card's own rows, in which *Back* replaces the button that opened them. Clients keep
 * either end of a message in place when it grows: from below each button has its place and meaning still, from above *Back*
 * takes the whole row of *Approve* and *Deny*.
 */
function choiceRows(rows: readonly (readonly CardButton[])[]): readonly (readonly CardButton[])[] {
  const isOpener = ({ action }: CardButton) => opens.has(action)
  return [
    [back],
    choices.slice(0, 3),
    choices.slice(3),
    ...rows.map((row) => row.map((button) => (isOpener(button) ? back : button))),
  ]
}

const opens: ReadonlySet<CardAction> = new Set(['choice', 'details', 'back'])

const choices: readonly CardButton[] = ([...grantEnds, 'always'] as const).map((action) => ({
  action,
  label: cardLabels[action],
}))

/** *Always* names its only pattern and grants it, or opens its choices. */
function alwaysButton(card: Card, { labelLength }: ButtonsView): CardButton {
  if (!isNamedOnButton(card, labelLength)) return { action: 'choice', label: cardLabels.choice }
  return { action: 'always', label: `${namedAlways}${card.alwaysPatterns[0]}` }
}

const namedAlways = `${cardLabels.always}: `

/** Whether the button of *Always* names what it grants, and one tap grants it. */
export function isNamedOnButton(card: Card, labelLength: number): boolean {
  return isAlwaysPlain(card, labelLength - namedAlways.length)
}

/** Whether *Always* allows one harmless pattern that reads plainly and has room in full, so that it may be granted at once. */
export function isAlwaysPlain(card: Card, maxPattern: number): boolean {
  const [only = '', ...others] = card.alwaysPatterns
  return (
    card.isAlwaysHarmless === true &&
    others.length === 0 &&
    only.length <= maxPattern &&
    /^[\w./*@:+=-]+(?: [\w./*@:+=-]+)*$/.test(only) &&
    !isDangerous(card)
  )
}

/**
 * Buttons of a card for several approvals; none once all are decided (APPR-20). Approving all requires that everything is shown
 * (APPR-16).
 */
export function batchRows(
  batch: BatchCard,
  { folds }: ButtonsView,
  isWhole: boolean,
): readonly (readonly Button<BatchAction>[])[] {
  const count = pendingCards(batch).length
  if (count === 0) return []
  const label = `${cardLabels.approveAll} ${count}`
  const approveAll: Button<BatchAction> = { action: 'approve_all', label, style: 'success' }
  const answers: readonly Button<BatchAction>[] = [
    ...(isWhole ? [approveAll] : []),
    { action: 'review', label: cardLabels.review },
    { action: 'deny_all', label: cardLabels.denyAll, style: 'danger' },
  ]
  if (folds === true) return [answers]
  return [answers, [batch.open === undefined ? more : back]]
}

/** CARD-03: whether what a call does cannot be undone, its risk is high, or its card tells neither. */
export function isDangerous({ risk, effects }: Pick<Card, 'risk' | 'effects'>): boolean {
  if (risk === undefined && effects === undefined) return true
  return risk === 'high' || (effects ?? []).some(({ kind }) => destructiveEffects.has(kind))
}
