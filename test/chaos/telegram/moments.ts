import type { Part } from '../support/processes.ts'
import { isAnswer, isCard, isConfirmation, isDecided, isOutcome, isTapAnswer } from './requests.ts'
import { atInsert, atRequest, type Trap, whenPrinted, whenRecorded, whenShown } from './traps.ts'

/** Where in the life of a message the product is killed. */
export interface Moment {
  readonly name: string
  /** What springs the trap: the person's message, or their tap. */
  readonly behind: 'message' | 'tap'
  readonly trap: Trap
  readonly killed: readonly Part[]
  /** What may stand in the chat twice, as its sending was not recorded. */
  readonly doubled?: 'card' | 'answer'
  /** Which copy of the card is tapped: the first, unless said otherwise. */
  readonly tapped?: 'last'
  /** Whether the card is tapped while nothing runs. */
  readonly isTappedAway?: true
}

type More = Pick<Moment, 'doubled' | 'tapped' | 'isTappedAway'>

const node: readonly Part[] = ['node']
const all: readonly Part[] = ['node', 'box', 'postgres']

const twoCards = { doubled: 'card' } as const
const twoAnswers = { doubled: 'answer' } as const

/** Before and after every step that a message takes. */
export const moments: readonly Moment[] = [
  message('message received, not stored', atInsert('inbound_event'), node),
  message('message stored, not confirmed', atRequest(isConfirmation, 'before'), all),
  message('message confirmed', atRequest(isConfirmation, 'after'), node),
  message('card not sent', atRequest(isCard, 'before'), all),
  message('card sent, not recorded; the first is tapped', atRequest(isCard, 'after'), all, {
    ...twoCards,
  }),
  message('card sent, not recorded; the last is tapped', atRequest(isCard, 'after'), node, {
    ...twoCards,
    tapped: 'last',
  }),
  message('card recorded, tapped while nothing runs', whenShown, all, { isTappedAway: true }),
  message('card recorded, tapped later', whenShown, node),
  tap('tap received, not stored', atInsert('inbound_event'), node),
  tap('tap stored, not confirmed', atRequest(isConfirmation, 'before'), all),
  tap('tap stored, not answered', atRequest(isTapAnswer, 'before'), node),
  tap('tap answered', atRequest(isTapAnswer, 'after'), all),
  tap('decision not shown', atRequest(isDecided, 'before'), node),
  tap('decision shown, not recorded', atRequest(isDecided, 'after'), all),
  tap('command runs', whenPrinted('begin'), node),
  tap('command runs, and its box is killed', whenPrinted('begin'), all),
  tap('command ended', whenPrinted('end'), node),
  tap('outcome not shown', atRequest(isOutcome, 'before'), all),
  tap('outcome shown, not recorded', atRequest(isOutcome, 'after'), node),
  tap('answer not sent', atRequest(isAnswer, 'before'), all),
  tap('answer sent, not recorded', atRequest(isAnswer, 'after'), node, twoAnswers),
  tap('answer recorded', whenRecorded, all),
]

function message(name: string, trap: Trap, killed: readonly Part[], more: More = {}): Moment {
  return { name, behind: 'message', trap, killed, ...more }
}

function tap(name: string, trap: Trap, killed: readonly Part[], more: More = {}): Moment {
  return { name, behind: 'tap', trap, killed, ...more }
}
