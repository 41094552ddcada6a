import { effectWords } from '../../effect.ts'
import { createFormat } from '../language.ts'

const { counted, number, plural } = createFormat('en')

/** What painters show of cards: headlines, states, details, effects and buttons. Names and times are set between pieces. */
export const display = {
  agentOf: ({ name }: { name: string }) => `${name}'s agent`,
  wantsTo: ({ what }: { what: string }) => ` wants to ${what}`,
  wantsCalls: ({ count }: { count: number }) => ` wants to make ${count} calls`,
  useTool: ({ tool }: { tool: string }) => `use ${tool}`,
  inPlace: ' in ',
  noName: '⟨no name⟩',
  empty: '⟨empty⟩',
  nothingToShow: 'There are no words in this that could be shown.',

  excerpt: ({ size }: { size: string }) =>
    `This is an excerpt: the file above has all of it (${size}).`,
  wholeInFile: ({ size }: { size: string }) => `The whole of each is in the file above (${size}).`,
  kept: ({ count }: { count: number }) =>
    `${counted(count, 'message', 'messages')} kept meanwhile; the model reads ${plural(count, 'it', 'them')} at its next step. This still waits.`,
  habit: ({ times, since }: { times: number; since: string }) =>
    `Approved ${times} times since ${since} and not denied: Always allows `,
  oneByOne: 'One by one gives each a card of its own, with Always and Edit.',
  batchCut: 'Not all of it can be shown here: One by one shows each by itself.',
  onlyDeny: 'Not all of it can be shown here: it can only be denied here.',
  moreRows: ({ count }: { count: number }) => `${count} more not shown here`,
  moreCalls: ({ count, waiting }: { count: number; waiting: number }) =>
    `${count} more not shown here, of which ${waiting} wait`,
  cutText: ({ count }: { count: number }) => `${count} characters not shown here`,
  fileHasAll: 'the file has all of it',
  doNotApprove: 'do not approve this',

  waiting: 'Waiting for an answer.',
  someWait: ({ waiting, all }: { waiting: number; all: number }) =>
    `${waiting} of ${all} wait for an answer.`,
  allAnswered: 'All are answered.',
  approvedBy: 'Approved by ',
  deniedBy: 'Denied by ',
  allowedByRule: 'Allowed by a rule made with “Always”',
  allowedByGrant: ({ life }: { life: string }) => `Allowed by a grant that was given ${life}`,
  patternsBelow: 'the patterns below',
  untilTime: ({ time }: { time: string }) => `. Until ${time} `,
  canReply: ' can reply to this message with the reason, or tap Just deny.',
  canAddReason: ' can add the reason.',
  expired: ({ time }: { time: string }) => `Expired, ${time}: nobody answered in time`,
  cancelled: ({ why }: { why: string }) => `Cancelled: ${why}`,
  byName: ' by ',
  working: 'working',
  lessThanMinute: 'less than a minute',
  running: 'running',

  details: {
    who: 'Who may answer',
    until: 'Until',
    risk: 'Risk',
    approval: 'Approval',
    approvals: 'Approvals',
    why: 'Why it asks',
    always: 'Always',
    alwaysAllows: 'Always would allow',
    for: 'For',
    file: 'File',
    unanswered: 'If nobody answers',
  },
  allowed: ({ life }: { life: string }) => `Allowed ${life}`,
  notOffered: 'is not offered here.',
  untilClear: ' until /clear; for everybody if an approver taps it',
  deputy: ({ time }: { time: string }) => `a deputy is asked, ${time}`,
  afterExpiry: {
    deny: 'then it is denied',
    wait: 'then it waits again',
    stop: 'then the turn stops',
  },
  risks: { low: 'low', medium: 'medium', high: 'high' },
  range: ({ first, last }: { first: number; last: number }) => `${first} to ${last}`,
  size: ({ lines, bytes }: { lines: number; bytes: number }) =>
    `${counted(lines, 'line', 'lines')}, ${number(bytes)} bytes`,
  wholeFile: (of: { about: string; bytes: number; lines: number; sha256: string }) =>
    `All of ${of.about}: ${counted(of.bytes, 'byte', 'bytes')}, ${counted(of.lines, 'line', 'lines')}.\nSHA-256 ${of.sha256}`,
  answerCaption: ({ bytes }: { bytes: number }) =>
    `The message above is the beginning; this file has the whole answer (${number(bytes)} bytes).`,
  approval: ({ number: of }: { number: number }) => `Approval ${of}`,
  approvals: ({ numbers }: { numbers: string }) => `Approvals ${numbers}`,

  /** Labels of buttons. */
  labels: {
    approve: 'Approve',
    always: 'Always',
    choice: 'Always…',
    deny: 'Deny',
    justDeny: 'Just deny',
    edit: 'Edit',
    copy: 'Copy',
    back: '‹ Back',
    turn: 'This turn',
    '15m': '15 min',
    '1h': '1 h',
    '5x': '5 times',
    approveAll: 'Approve all',
    review: 'One by one',
    denyAll: 'Deny all',
    stop: 'Stop',
  },
  copy: { command: 'Copy command', path: 'Copy path' },
  revoke: ({ label }: { label: string }) => `Revoke ${label}`,
  show: ({ lines }: { lines: number }) => (lines === 1 ? 'Show it' : `Show ${number(lines)} lines`),

  /** CARD-01: what a call would do, by the kind of effect; what it concerns follows after a colon. */
  effects: effectWords,
}
