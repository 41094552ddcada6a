/** What the adapters of chat platforms say themselves. */
export const chat = {
  messageKept: 'The database is unavailable; your message is kept and handled when it is back.',
  tapKept: 'The database is unavailable; your tap is kept and handled when it is back.',
  tapLost: 'The database is unavailable: nothing was done. Tap again when it is back.',
  commandLost: 'The database is unavailable: nothing was done. Send it again when it is back.',
  messageRetried:
    'The database is unavailable: Slack delivers your message again for about six minutes.',
  messageLost:
    'The database is still unavailable, and Slack gives up: please send your message again later.',
  formNotOpened: 'Slack did not open the form: please tap again.',

  /** Titles of forms have at most 24 characters. */
  denyTitle: ({ number }: { number: number }) => `Deny approval ${number}`,
  editTitle: ({ number }: { number: number }) => `Change approval ${number}`,
  deny: 'Deny',
  askAgain: 'Ask again',
  cancel: 'Cancel',
  whyNot: 'Why not? The model reads it.',
  newCall: 'What should it be? It is evaluated, and asked about again.',
  notShownHere: 'It cannot be shown here: write all of it.',

  /** Questions that a new thread suggests: a title, and what a tap sends. */
  suggestions: {
    abilities: {
      title: 'What can you do here?',
      message: 'What can you do here, and what will you ask me about?',
    },
    waiting: 'What is waiting for approval?',
    usage: 'How much have I used?',
  },
  thinking: 'is thinking…',
  goodAnswer: 'This answer is good',
  badAnswer: 'This answer is bad',
}
