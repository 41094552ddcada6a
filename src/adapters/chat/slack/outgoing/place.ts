/** Where a message goes on Slack: a channel or a direct message, or a thread of one. */
export interface Place {
  readonly channel: string
  /** The `ts` of the message that the thread is below. */
  readonly thread?: string
}

const form = /^([CDG][A-Z0-9]{1,30})(?:\/(\d{1,12}\.\d{1,8}))?$/

/** Reads `<channel>` or `<channel>/<thread>`; undefined: it is neither. */
export function parsePlace(place: string): Place | undefined {
  const [, channel, thread] = form.exec(place) ?? []
  if (channel === undefined) return undefined
  return thread === undefined ? { channel } : { channel, thread }
}

export function toPlace({ channel, thread }: Place): string {
  return thread === undefined ? channel : `${channel}/${thread}`
}

/** Whether only one person and we are there. */
export function isPrivate({ channel }: Place): boolean {
  return channel.startsWith('D')
}

/** The thread as the methods that send take it. */
export function threadOf({ thread }: Place): { readonly thread_ts?: string } {
  return thread === undefined ? {} : { thread_ts: thread }
}
