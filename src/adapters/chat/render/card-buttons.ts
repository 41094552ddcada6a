import {
  type BatchAction,
  type BatchCard,
  type Card,
  type CardAction,
  pendingCards,
} from '../../../domain/approval.ts'
import { destructiveEffects } from '../../../domain/effect.ts'
import { visibleLine } from './card-words.ts'

/** A button below a message; platforms without styles ignore `style`. */
export interface Button<Action> {
  readonly action: Action
  readonly label: string
  readonly style?: 'success' | 'danger'
}

export type CardButton = Button<CardAction>

/** Where buttons are shown. */
interface ButtonsView {
  /** The platform folds details on the message, so that no button is needed for them. */
  readonly folds?: boolean | undefined
}

/**
 * CARD-03: all rows of a card's buttons; empty once it is settled. A card that is too large to be shown can only be denied
 * (TG-02, TG-03).
 */
export function cardRows(card: Card, view: ButtonsView = {}): readonly (readonly CardButton[])[] {
  const { status, alwaysPatterns, tooLarge, isOpen } = card
  if (status.kind === 'denying')
    return [[{ action: 'just_deny', label: 'Just deny', style: 'danger' }]]
  if (status.kind !== 'waiting') return []
  const deny: CardButton = { action: 'deny', label: 'Deny', style: 'danger' }
  const hasAlways = alwaysPatterns.length > 0 && tooLarge !== true
  if (isOpen === true) return hasAlways ? choiceRows : [[back]]
  const hasMore = hasAlways || view.folds !== true
  const more: readonly CardButton[] = hasMore ? [{ action: 'more', label: '⋯' }] : []
  if (tooLarge === true) return [[deny], more].filter((row) => row.length > 0)
  const approve: CardButton = { action: 'approve', label: 'Approve', style: 'success' }
  const always = hasAlways && !isDangerous(card) ? [alwaysButton(card)] : []
  // A button that opens the choice already leads to all of it.
  const opens = always.some(({ action }) => action === 'more')
  return [
    [approve, ...always, deny],
    [{ action: 'edit', label: 'Edit' }, ...(opens ? [] : more)],
  ]
}

const back: CardButton = { action: 'back', label: '‹ Back' }

/** Choices of *Always* (APPR-15). */
const choiceRows: readonly (readonly CardButton[])[] = [
  [
    { action: 'turn', label: 'This turn' },
    { action: '15m', label: '15 min' },
    { action: '1h', label: '1 h' },
  ],
  [{ action: '5x', label: '5 times' }, { action: 'always', label: 'Always' }, back],
]

/** Length of a label that phones show in a row of three. */
const maxLabel = 20

/** *Always* names its only pattern, or opens its choice. */
function alwaysButton({ alwaysPatterns }: Card): CardButton {
  const [pattern = ''] = alwaysPatterns
  const label = `Always: ${visibleLine(pattern)}`
  const isObvious = alwaysPatterns.length === 1 && label.length <= maxLabel
  return isObvious ? { action: 'always', label } : { action: 'more', label: 'Always…' }
}

/** Whether *Always* is kept out of the first row: what the call does cannot be undone, or its risk is high. */
export function isDangerous({ risk, effects = [] }: Pick<Card, 'risk' | 'effects'>): boolean {
  return risk === 'high' || effects.some(({ kind }) => destructiveEffects.has(kind))
}

/**
 * Buttons of a card for several approvals; none once all are decided (APPR-20). Approving all requires that everything is shown
 * (APPR-16).
 */
export function batchButtons(batch: BatchCard, isWhole: boolean): readonly Button<BatchAction>[] {
  const count = pendingCards(batch).length
  if (count === 0) return []
  const label = `Approve all ${count}`
  const approve: Button<BatchAction> = { action: 'approve_all', label, style: 'success' }
  return [
    ...(isWhole ? [approve] : []),
    { action: 'review', label: 'One by one' },
    { action: 'deny_all', label: 'Deny all', style: 'danger' },
  ]
}
