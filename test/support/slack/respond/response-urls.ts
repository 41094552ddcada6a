import { randomBytes } from 'node:crypto'

/** Where an app may answer something that somebody did. */
export interface ResponseUrl {
  readonly path: string
  readonly channelId: string
  readonly userId: string
  /** The message that the click was on. */
  readonly messageTs: string | undefined
  readonly threadTs: string | undefined
  readonly at: number
  used: number
}

/** https://docs.slack.dev/interactivity/handling-user-interaction: five times within 30 minutes. */
export const mostUses = 5
export const maxAgeMs = 30 * 60_000

export class ResponseUrls {
  readonly #known = new Map<string, ResponseUrl>()
  readonly #now: () => number

  constructor(now: () => number) {
    this.#now = now
  }

  add(
    kind: 'actions' | 'commands',
    given: Pick<ResponseUrl, 'channelId' | 'userId' | 'messageTs' | 'threadTs'>,
  ): ResponseUrl {
    const path = `/${kind}/${randomBytes(6).toString('hex')}/${randomBytes(12).toString('base64url')}`
    const added = { ...given, path, at: this.#now(), used: 0 }
    this.#known.set(path, added)
    return added
  }

  find(path: string): ResponseUrl | undefined {
    return this.#known.get(path)
  }
}
