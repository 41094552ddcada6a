import type { Api } from 'grammy'
import { z } from 'zod'
import type { Log } from '../../../util/log.ts'
import type { OnFailure } from './incoming/api-failure.ts'
import { retryUntilAnswered } from './incoming/until-answered.ts'

/** The bot that a token belongs to. */
export interface BotIdentity {
  readonly id: number
  /** Without `@`. */
  readonly username: string
  readonly name: string
  readonly canJoinGroups: boolean
  /** Whether the bot also receives messages that are not addressed to it: its privacy mode is off. */
  readonly readsWholeGroups: boolean
}

const identity = z
  .object({
    id: z.int().positive(),
    is_bot: z.literal(true),
    username: z.string().min(1),
    first_name: z.string(),
    can_join_groups: z.boolean().default(false),
    can_read_all_group_messages: z.boolean().default(false),
  })
  .transform(
    (me): BotIdentity => ({
      id: me.id,
      username: me.username,
      name: me.first_name,
      canJoinGroups: me.can_join_groups,
      readsWholeGroups: me.can_read_all_group_messages,
    }),
  )

/** The server accepts calls of the Bot API but is not Telegram. */
export class NoBotApi extends Error {
  override readonly name = 'NoBotApi'

  constructor() {
    super('what answers as Telegram does not name the bot: check TELEGRAM_API_ROOT')
  }
}

export interface ConnectOptions {
  readonly log: Log
  readonly signal: AbortSignal
  readonly onFailure?: OnFailure | undefined
}

/**
 * Asks for the bot's identity until there is an answer. Throws `TokenRefused` for an invalid token, `NoBotApi` if the answer is
 * not an identity, and the signal's reason.
 */
export async function connect(api: Api, options: ConnectOptions): Promise<BotIdentity> {
  const what = 'telegram: getMe'
  const answer = await retryUntilAnswered((signal) => api.getMe(signal), { ...options, what })
  const parsed = identity.safeParse(answer)
  if (parsed.success) return parsed.data
  throw new NoBotApi()
}
