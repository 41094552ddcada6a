import { createFormat } from '../language.ts'

const { counted, plural } = createFormat('en')

const counts = [
  'nobody',
  'one',
  'two',
  'three',
  'four',
  'five',
  'six',
  'seven',
  'eight',
  'nine',
  'ten',
]
const inWords = (count: number): string => counts[count] ?? String(count)

/** Approvals: what an answer to one is told, and what people read of one that waits. */
export const approvals = {
  none: 'There is no such approval.',
  noneOfBatch: 'There are no such approvals.',
  noneForProgram: 'There is no such approval in this session for you to answer.',
  nothingWaits: 'Nothing is waiting for an answer.',
  allAnswered: 'All of them have been answered.',
  stillWaiting: 'This approval is still waiting.',
  expired: 'This approval has expired.',
  replaced: 'This approval was replaced by a newer one.',

  /** After “Approved”: for how long similar calls are allowed too. */
  lives: {
    turn: 'for this turn',
    '15m': 'for 15 min',
    '1h': 'for 1 h',
    '5x': '5 more times',
    always: 'always',
  },
  approved: 'Approved.',
  approvedFor: ({ life }: { life: string }) => `Approved, ${life}.`,
  approvedOnce: 'Approved, this once: not everyone who approved it tapped Always.',
  denied: 'Denied.',
  deniedWithReason: 'Denied, with your reason.',
  explainHere: 'Write why (in a group as a reply to the card), or tap Just deny.',
  explainHereWithin: ({ minutes }: { minutes: number }) =>
    `Write why within ${minutes} minutes (in a group as a reply to the card), or tap Just deny.`,
  explainByReply: 'Reply to the card with the reason, or tap Just deny.',
  explainByReplyWithin: ({ minutes }: { minutes: number }) =>
    `Reply to the card with the reason within ${minutes} minutes, or tap Just deny.`,
  votes: ({ approved, people }: { approved: number; people: number }) =>
    `${approved} of ${people} approved`,
  voteCounted: ({ votes }: { votes: string }) => `Counted: ${votes}.`,
  voteRepeated: ({ votes }: { votes: string }) => `Your approval already counts: ${votes}.`,

  alreadyApproved: ({ by, at, life }: { by?: string; at?: string; life?: string }) =>
    `Already approved${by === undefined ? '' : ` by ${by}`}${at === undefined ? '' : ` ${at}`}${life === undefined ? '' : `, ${life}`}.`,
  alreadyDenied: ({ by, at }: { by?: string; at?: string }) =>
    `Already denied${by === undefined ? '' : ` by ${by}`}${at === undefined ? '' : ` ${at}`}.`,
  allowedByRule: ({ at }: { at?: string }) =>
    `A rule made with “Always” allowed it${at === undefined ? '' : ` ${at}`}.`,
  expiredAt: ({ at }: { at?: string }) =>
    `This approval expired${at === undefined ? '' : ` ${at}`}.`,
  stoppedBy: ({ by, at }: { by: string; at?: string }) =>
    `Stopped by ${by}${at === undefined ? '' : ` ${at}`}.`,
  cancelled: ({ at, why }: { at?: string; why?: string }) =>
    `Cancelled${at === undefined ? '' : ` ${at}`}${why === undefined ? '' : `: ${why}`}.`,
  atTime: ({ time }: { time: string }) => `at ${time}`,
  onDay: ({ day }: { day: string }) => `on ${day}`,

  mayNotAnswer: ({ who }: { who: string }) => `You may not answer this; ${who} can.`,
  mayOnlyDeny: ({ who }: { who: string }) =>
    `You may deny this, but not approve it. Who may approve it: ${who}.`,
  tooLarge: 'It is too large to be shown; it can only be denied.',
  alwaysNotOffered: '“Always” is not offered for this call; approve or deny it.',
  cardNotShown: 'The card has not been shown yet; it must be shown first.',
  cardElsewhere: 'The card is shown in another chat; /approvals shows it here first.',
  openCardFirst: 'Open this call’s own card first; it shows what Always would allow.',
  eachShown: 'Each now has a card of its own.',
  eachAlreadyShown: 'Each already has a card of its own here.',

  requester: 'the requester',
  someone: 'someone',
  byRule: 'a rule',
  requesterOrApprover: ({ requester }: { requester: string }) => `${requester} or an approver`,
  people: ({ count }: { count: number }) =>
    count === 0 ? 'nobody' : `${inWords(count)} ${plural(count, 'person', 'people')}`,
  peopleOrApprovers: ({ count }: { count: number }) =>
    `${inWords(count)} people: the requester or approvers`,
  approvers: ({ count, allowSelf }: { count: number; allowSelf: boolean }) =>
    `${count === 1 ? 'an approver' : `${inWords(count)} approvers`}${allowSelf ? '' : ' other than the requester'}`,
  operators: ({ count, allowSelf }: { count: number; allowSelf: boolean }) =>
    `${count === 1 ? 'an operator' : `${inWords(count)} operators`}${allowSelf ? '' : ' other than the requester'}`,
  orMore: ({ names, count }: { names: string; count: number }) => `${names} or ${count} more`,

  editNotMade: ({ why }: { why: string }) => `Not changed: ${why}`,
  editNoTool: ({ tool }: { tool: string }) => `there is no tool ${tool}`,
  editSame: 'it already says that',
  edited: 'Changed. It is evaluated again, with your approval.',
  editedWithoutVote:
    'Changed. It is evaluated again, without your approval: not all of it had been shown.',
  editPrompt: ({ minutes, what }: { minutes: number; what: string }) =>
    `Reply to the card within ${minutes} minutes with ${what}.`,
  editSubjects: {
    command: 'the new command',
    url: 'the new URL',
    arguments: 'a JSON object of the arguments to change',
  },

  /** In sentences about an approval, or several on one card. */
  name: ({ number, tool }: { number: number; tool: string }) => `Approval ${number} (${tool})`,
  names: ({ numbers }: { numbers: string }) => `Approvals ${numbers}`,
  about: ({ number, text }: { number: number; text: string }) => `Approval ${number}: ${text}`,
  aboutMany: ({ numbers, text }: { numbers: string; text: string }) => `${numbers}: ${text}`,
  reminder: ({ name, isOne, until }: { name: string; isOne: boolean; until: string }) =>
    `${name} ${isOne ? 'is still waiting for an answer' : 'are still waiting for answers'}, until ${until}. /approvals shows the card again.`,
  reminderFor: (of: { name: string; requester: string; isOne: boolean; until: string }) =>
    `${of.name} for ${of.requester} ${of.isOne ? 'is still waiting for an answer' : 'are still waiting for answers'}, until ${of.until}. /approvals shows the card again.`,
  notDelivered: ({ name, isOne }: { name: string; isOne: boolean }) =>
    `${name} ${isOne ? 'has' : 'have'} reached nobody yet, so the card is shown here as well.`,
  notShown: ({ name, isOne, which }: { name: string; isOne: boolean; which: string }) =>
    `${name} could not be shown here. /deny ${which} denies ${isOne ? 'it' : 'them'}; /approvals tries to show ${isOne ? 'it' : 'them'} again.`,
  waitsInChannel: ({ name, isOne }: { name: string; isOne: boolean }) =>
    `${name} ${isOne ? 'is' : 'are'} waiting in the approvers’ channel. /approvals shows the card here.`,
  waitsFor: ({ name, isOne, who }: { name: string; isOne: boolean; who: string }) =>
    `${name} ${isOne ? 'is' : 'are'} waiting for ${who}, asked in private. /approvals shows the card here.`,
  waitsAlsoFor: ({ name, isOne, who }: { name: string; isOne: boolean; who: string }) =>
    `${name} ${isOne ? 'is' : 'are'} now waiting for ${who} as well.`,
  tooFewReached: (of: { name: string; isOne: boolean; people: string; reached: string }) =>
    `${of.name} ${of.isOne ? 'needs' : 'need'} ${of.people} to approve ${of.isOne ? 'it' : 'them'}, and ${of.reached} can be reached in private: the card is here as well.`,
  expiredStopped: ({ number, tool }: { number: number; tool: string }) =>
    `Approval ${number} (${tool}) expired unanswered, so the turn was stopped. Write again to continue.`,
  waitAfterMessage: ({ numbers, isOne }: { numbers: string; isOne: boolean }) =>
    isOne ? `Approval ${numbers} is still waiting.` : `Approvals ${numbers} are still waiting.`,

  waiting: ({ count }: { count: number }) =>
    count === 1 ? 'One approval is waiting:' : `${count} approvals are waiting:`,
  askedElsewhere: ({ requester }: { requester: string }) =>
    `requested by ${requester} in another chat`,
  diffPending: 'its diff is being prepared',
  shownJustNow: 'shown a moment ago',
  noNumber: ({ number }: { number: string }) =>
    `There is no approval ${number}. /approvals lists what is waiting.`,
  justArrived: ({ number, command }: { number: number; command: string }) =>
    `Approval ${number} has only just arrived; send ${command}.`,
  sayWhich: ({ count, numbers, command }: { count: number; numbers: string; command: string }) =>
    `${counted(count, 'approval is', 'approvals are')} waiting (${numbers}); say which, as in ${command}.`,
  shownLate: ({ numbers }: { numbers: string }) =>
    `${numbers}: only just shown here; send the command again.`,

  /** The week's approvals, for operators. */
  digest: {
    counts: (of: {
      asked: number
      approved: number
      denied: number
      unanswered: number
      others: number
    }) =>
      `Approvals last week: ${of.asked} asked, ${of.approved} approved, ${of.denied} denied, ${of.unanswered} unanswered, ${of.others} allowed by a rule or cancelled.`,
    median: ({ time }: { time: string }) => `Half of the answers came within ${time}.`,
    often: 'Approved often and not denied:',
    kind: ({ tool, pattern, times }: { tool: string; pattern: string; times: number }) =>
      `${tool}: ${pattern} (${times} times)`,
    next: 'countersign gate suggest tells which of them may become rules.',
  },
}
