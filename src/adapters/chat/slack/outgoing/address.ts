/** Address of a message on Slack: a channel or direct message, or a thread in one. */
export interface Address {
  readonly channel: string
  /** The `ts` of the thread's first message. */
  readonly thread?: string
}

const addressForm = /^([CDG][A-Z0-9]{1,30})(?:\/(\d{1,12}\.\d{1,8}))?$/

/** Parses `<channel>` or `<channel>/<thread>`; undefined if it is neither. */
export function parseAddress(place: string): Address | undefined {
  const [, channel, thread] = addressForm.exec(place) ?? []
  if (channel === undefined) return undefined
  return thread === undefined ? { channel } : { channel, thread }
}

export function formatAddress({ channel, thread }: Address): string {
  return thread === undefined ? channel : `${channel}/${thread}`
}

/** Whether the channel is a direct message. */
export function isPrivate({ channel }: Address): boolean {
  return channel.startsWith('D')
}

/** The thread, as a parameter of methods that send. */
export function threadOf({ thread }: Address): { readonly thread_ts?: string } {
  return thread === undefined ? {} : { thread_ts: thread }
}
