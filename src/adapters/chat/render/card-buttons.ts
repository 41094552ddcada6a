import {
  type BatchAction,
  type BatchCard,
  type Card,
  type CardAction,
  pendingCards,
} from '../../../domain/approval.ts'
import { destructiveEffects } from '../../../domain/effect.ts'
import { grantEnds } from '../../../domain/grant-life.ts'
import type { Messages } from '../../../domain/messages/messages.ts'

/** A button below a message; platforms without styles ignore `style`. */
export interface Button<Action> {
  readonly action: Action
  readonly label: string
  readonly style?: 'success' | 'danger'
}

export type CardButton = Button<CardAction>

/** Means of a platform that decide which buttons a card needs. */
export interface ButtonsView {
  readonly messages: Messages
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
  const { labels } = view.messages.display
  if (status.kind === 'denying')
    return [[{ action: 'just_deny', label: labels.justDeny, style: 'danger' }]]
  if (status.kind !== 'waiting') return []
  const hasAlways = card.alwaysPatterns.length > 0 && tooLarge !== true
  const always = hasAlways && !isDangerous(card) ? [alwaysButton(card, view)] : []
  const isChoiceElsewhere = hasAlways && always[0]?.action !== 'choice'
  const approve = { action: 'approve', label: labels.approve, style: 'success' } as const
  const deny = { action: 'deny', label: labels.deny, style: 'danger' } as const
  const decide: readonly CardButton[] = tooLarge === true ? [deny] : [approve, ...always, deny]
  const edit: readonly CardButton[] =
    tooLarge === true ? [] : [{ action: 'edit', label: labels.edit }]
  const second = [...edit, ...moreButtons(card, view, isChoiceElsewhere)]
  const rows = second.length === 0 ? [decide] : [decide, second]
  if (open !== 'choice') return rows
  return hasAlways ? choiceRows(rows, labels) : [[backButton(labels)]]
}

const moreLabel = '⋯'

/** Buttons that lead to the details and to the choices of *Always*, where the first row does not. */
function moreButtons(
  { open }: Card,
  { folds, messages }: ButtonsView,
  isChoiceElsewhere: boolean,
): readonly CardButton[] {
  const { labels } = messages.display
  if (folds === true) return isChoiceElsewhere ? [{ action: 'choice', label: moreLabel }] : []
  if (open === undefined) return [moreButton]
  return [
    backButton(labels),
    ...(isChoiceElsewhere ? [{ action: 'choice', label: labels.choice } as const] : []),
  ]
}

/**
 * Choices of *Always* (APPR-15) above the card's own rows, in which *Back* replaces the button that opened them. Clients keep
 * either end of a message in place when it grows: from below each button has its place and meaning still, from above *Back*
 * takes the whole row of *Approve* and *Deny*.
 */
function choiceRows(
  rows: readonly (readonly CardButton[])[],
  labels: Labels,
): readonly (readonly CardButton[])[] {
  const back = backButton(labels)
  const choices = ([...grantEnds, 'always'] as const).map((action) => ({
    action,
    label: labels[action],
  }))
  return [
    [back],
    choices.slice(0, 3),
    choices.slice(3),
    ...rows.map((row) => row.map((button) => (opens.has(button.action) ? back : button))),
  ]
}

/** Actions of the buttons that lead from one view to another. */
const opens: ReadonlySet<CardAction> = new Set(['choice', 'details', 'back'])

type Labels = Messages['display']['labels']

const moreButton = { action: 'details', label: moreLabel } as const

function backButton(labels: Labels) {
  return { action: 'back', label: labels.back } as const
}

/** *Always* names its only pattern and grants it, or opens its choices. */
function alwaysButton(card: Card, view: ButtonsView): CardButton {
  const { labels } = view.messages.display
  if (!isNamedOnButton(card, view)) return { action: 'choice', label: labels.choice }
  return { action: 'always', label: `${labels.always}: ${card.alwaysPatterns[0]}` }
}

/** Whether the button of *Always* names what it grants, and one tap grants it. */
export function isNamedOnButton(card: Card, { labelLength, messages }: ButtonsView): boolean {
  const { always } = messages.display.labels
  return isAlwaysPlain(card, labelLength - `${always}: `.length)
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
  { folds, messages }: ButtonsView,
  isWhole: boolean,
): readonly (readonly Button<BatchAction>[])[] {
  const count = pendingCards(batch).length
  if (count === 0) return []
  const { labels } = messages.display
  const label = `${labels.approveAll} ${count}`
  const approveAll: Button<BatchAction> = { action: 'approve_all', label, style: 'success' }
  const answers: readonly Button<BatchAction>[] = [
    ...(isWhole ? [approveAll] : []),
    { action: 'review', label: labels.review },
    { action: 'deny_all', label: labels.denyAll, style: 'danger' },
  ]
  if (folds === true) return [answers]
  return [answers, [batch.open === undefined ? moreButton : backButton(labels)]]
}

/** CARD-03: whether what a call does cannot be undone, its risk is high, or its card tells neither. */
export function isDangerous({ risk, effects }: Pick<Card, 'risk' | 'effects'>): boolean {
  if (risk === undefined && effects === undefined) return true
  return risk === 'high' || (effects ?? []).some(({ kind }) => destructiveEffects.has(kind))
}
