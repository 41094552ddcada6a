import {
  type BatchAction,
  type BatchCard,
  type Card,
  type CardAction,
  pendingCards,
} from '../../../domain/approval.ts'
import { destructiveEffects } from '../../../domain/effect.ts'
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
  if (open === 'choice') return hasAlways ? choiceRows : [[back]]
  const always = hasAlways && !isDangerous(card) ? [alwaysButton(card, view)] : []
  const isChoiceElsewhere = hasAlways && always[0]?.action !== 'choice'
  const decide = tooLarge === true ? [deny] : [approve, ...always, deny]
  const edit: readonly CardButton[] =
    tooLarge === true ? [] : [{ action: 'edit', label: cardLabels.edit }]
  const second = [...edit, ...moreButtons(card, view, isChoiceElsewhere)]
  return second.length === 0 ? [decide] : [decide, second]
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
    ...(isChoiceElsewhere ? [{ action: 'choice', label: cardLabels.choice } as const] : []),
    back,
  ]
}

/**
 * Choices of *Always* (APPR-15). *Back* takes the whole first row: a tap that was meant for *Approve* or *Deny* while somebody
 * else opened the choices grants nothing.
 */
const choiceRows: readonly (readonly CardButton[])[] = [
  [back],
  [
    { action: 'turn', label: cardLabels.turn },
    { action: '15m', label: cardLabels['15m'] },
    { action: '1h', label: cardLabels['1h'] },
  ],
  [
    { action: '5x', label: cardLabels['5x'] },
    { action: 'always', label: cardLabels.always },
  ],
]

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

/** Whether *Always* allows one pattern that reads plainly and has room in full, so that it may be granted at once. */
export function isAlwaysPlain(card: Card, maxPattern: number): boolean {
  const [only = '', ...others] = card.alwaysPatterns
  return (
    others.length === 0 &&
    only.length <= maxPattern &&
    /^[\w./*@:+= -]+$/.test(only) &&
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

/** CARD-03: whether what a call does cannot be undone, or its risk is high. */
export function isDangerous({ risk, effects = [] }: Pick<Card, 'risk' | 'effects'>): boolean {
  return risk === 'high' || effects.some(({ kind }) => destructiveEffects.has(kind))
}
