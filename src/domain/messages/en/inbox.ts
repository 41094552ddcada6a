import { createFormat } from '../language.ts'

const { any, counted } = createFormat('en')

/** Answers to what people send: messages, files and taps. */
export const inbox = {
  skipped:
    'Your message could not be processed and was skipped. An operator can find the details in the log. Later messages are handled.',
  rateLimited: ({ perMinute }: { perMinute: number }) =>
    `You are sending more than ${perMinute} messages a minute. Nothing is lost: the rest is handled one after the other. /stop and answers to approvals are not delayed.`,
  queueAway:
    'The job queue is unavailable. Your message is kept and continues when the queue is back.',
  toolsAway:
    'Tools cannot run now, so nothing can be answered: the sandbox does not work. Your message is kept, and is handled when it works again. For operators: countersign doctor says what is wrong.',
  notedForLater: 'Noted. It gets its own turn when the current one has ended.',
  noted: 'Noted. The model reads it at its next step.',
  mayNotAnswer: 'You may not answer this.',
  buttonGone: 'This button is no longer valid here.',
  buttonsChanged: 'The buttons just changed: tap again.',
  ended: 'This has already ended.',
  stopped: 'Stopped.',
  thanks: 'Thank you.',
  answerGone: 'That answer is no longer kept.',
  tooManyRatings: 'Too many ratings for this answer; your last one counts.',
  tooManyRequests: 'Too many requests. Try again in a minute.',

  fileNotRead: 'I can only read text; the file was not taken.',
  captionOnly: 'I read the caption; the file itself was not taken.',
  fileTooLarge: ({ name, limit }: { name: string; limit: string }) =>
    `“${name}” is larger than ${limit} and was not taken.`,
  tooManyFiles: (of: { name: string; others: number; files: number; megabytes: number }) =>
    `“${of.name}”${of.others === 0 ? ' was' : ` and ${of.others} more were`} not taken: at most ${of.files} files, or ${of.megabytes} MB, of one person wait at a time. Send the rest once those are saved.`,
  fileNotTaken: ({ name, why }: { name: string; why: string }) =>
    `“${name}” was not taken: ${why}.`,
  notFetched: 'it could not be fetched',
  tooLarge: ({ limit }: { limit: string }) => `it is larger than ${limit}`,
  fetchGivenUp: ({ platform }: { platform: string }) =>
    `${platform} did not deliver it for too long`,
  fetchRetrying: ({ name }: { name: string }) => `“${name}” cannot be fetched right now; retrying.`,
  bytes: ({ count }: { count: number }) => counted(count, 'byte', 'bytes'),
  megabytes: ({ count }: { count: number }) => `${count} MB`,

  /** `/upload` at the terminal. */
  whichFile: 'Which file? /upload path',
  ownFileProblems: {
    missing: 'there is no such file',
    forbidden: 'it may not be read',
    directory: 'it is a directory',
    name_too_long: 'the path is too long',
    not_regular: 'it is not a regular file',
  },
  ownFileUnreadable: ({ code }: { code: string }) => `it cannot be read (${code})`,

  /** Why a platform did not deliver a file. */
  fileRefusals: {
    none: 'files cannot be fetched here',
    gone: 'the platform no longer has it',
    not_visible: 'the platform does not show it to the app',
    no_permission:
      'the app may not read files: it needs the scope files:read; an operator adds it and installs the app again',
    external: 'it is stored outside the platform',
    local_server:
      'the Bot API server runs with --local and delivers no files; an operator can run it without',
    refused: 'the platform refused to deliver it',
  },

  codeElsewhere: ({ platforms }: { platforms: readonly string[] }) =>
    `Codes are taken in a private chat of ${any(platforms)}: to link this account, write /link here, and send the code there.`,
}
