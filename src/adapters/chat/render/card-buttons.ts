import {
  type BatchAction,
  type BatchCard,
  type Card,
  type CardAction,
  type GroupAnswer,
  groupsOf,
  isDangerous,
  pendingCards,
} from '../../../domain/approval.ts'
import type { GrantEnd } from '../../../domain/grant-life.ts'
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
  return hasAlways ? choiceRows(isChoiceElsewhere, labels) : [[backButton(labels)]]
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
 * CARD-03: the choices of *Always* (APPR-15). Counted from below, where most clients keep a message that grows, *Back* is in the
 * place of the button that opened them, and the shortest grant in that of *Deny*. `isElsewhere`: that button is in the second row.
 */
function choiceRows(isElsewhere: boolean, labels: Labels): readonly (readonly CardButton[])[] {
  const back = backButton(labels)
  const button = (action: GrantEnd | 'always' | 'edit') => ({ action, label: labels[action] })
  const first = [button('15m'), button('1h'), button('5x')]
  if (isElsewhere) return [first, [button('always'), button('turn')], [back]]
  return [first, [button('always'), back, button('turn')], [button('edit')]]
}

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

/** A button of a batch card: for all of its calls, or for a group of them, which its first approval names. */
export type BatchButton = Button<BatchAction> | (Button<GroupAnswer> & { readonly of: string })

/** With more groups than these, one by one is quicker to read. */
const maxGroups = 4

/**
 * Buttons of a card for several approvals; none once all are decided (APPR-20). Approving requires that everything is shown
 * (APPR-16), and of a dangerous call its whole text on the card itself.
 */
export function batchRows(
  batch: BatchCard,
  { folds, messages }: ButtonsView,
  isWhole: boolean,
): readonly (readonly BatchButton[])[] {
  const pending = pendingCards(batch)
  if (pending.length === 0) return []
  const { labels } = messages.display
  const approveAll: BatchButton = {
    action: 'approve_all',
    label: `${labels.approveAll} ${pending.length}`,
    style: 'success',
  }
  const answers: readonly BatchButton[] = [
    ...(isWhole && !hidesDanger(pending) ? [approveAll] : []),
    { action: 'review', label: labels.review },
    { action: 'deny_all', label: labels.denyAll, style: 'danger' },
  ]
  const groups = isWhole ? groupRows(batch, labels) : []
  if (folds === true) return [answers, ...groups]
  return [answers, ...groups, [batch.open === undefined ? moreButton : backButton(labels)]]
}

/** Whether a dangerous call is cut to a line on the card. */
export function hidesDanger(cards: readonly Card[]): boolean {
  return cards.some((card) => card.isCut === true && isDangerous(card))
}

/** CARD-04: a choice for each group, where there are a few. */
function groupRows({ cards }: BatchCard, labels: Labels): readonly (readonly BatchButton[])[] {
  const groups = groupsOf(cards)
    .map((group) => ({ ...group, pending: pendingCards(group) }))
    .filter(({ pending }) => pending.length > 0)
  if (groups.length < 2 || groups.length > maxGroups) return []
  return groups.map(({ name, cards: [first], pending }) => {
    const of = first?.approvalId ?? ''
    const approve = { action: 'approve_group', label: `${labels.approve} ${name}`, of } as const
    const deny = { action: 'deny_group', label: `${labels.deny} ${name}`, of } as const
    return hidesDanger(pending)
      ? [{ ...deny, style: 'danger' }]
      : [
          { ...approve, style: 'success' },
          { ...deny, style: 'danger' },
        ]
  })
}
