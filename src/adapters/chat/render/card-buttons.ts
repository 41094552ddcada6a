import {
  type BatchAction,
  type BatchCard,
  type Card,
  type CardAction,
  pendingCards,
} from '../../../domain/approval.ts'
import { destructiveEffects } from '../../../domain/effect.ts'

/** A button below a message; platforms without styles ignore `style`. */
export interface Button<Action> {
  readonly action: Action
  readonly label: string
  readonly style?: 'success' | 'danger'
}

export type CardButton = Button<CardAction>

/**
 * The main row of a card's buttons (TG-02, TG-03); empty once it is settled. A card that is too large to be shown can only be
 * denied.
 */
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

/** Second row: *Always* with an end (APPR-15). */
const lifeButtons: readonly CardButton[] = [
  { action: 'turn', label: 'This turn' },
  { action: '15m', label: '15 min' },
  { action: '1h', label: '1 h' },
  { action: '5x', label: '5×' },
]

/** Changes the call before it is decided (APPR-14). */
const editButton: CardButton = { action: 'edit', label: 'Edit' }

/** All rows of a card's buttons. */
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

/** CARD-03: whether what a call does cannot be undone, or its risk is high. */
export function isDangerous({ risk, effects = [] }: Pick<Card, 'risk' | 'effects'>): boolean {
  return risk === 'high' || effects.some(({ kind }) => destructiveEffects.has(kind))
}
