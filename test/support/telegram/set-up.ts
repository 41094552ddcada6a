import { Api } from 'grammy'
import type { User } from 'grammy/types'
import type { ChatHandle } from './chat-handle.ts'
import { createTelegram, type TelegramOptions, type TelegramStandIn } from './telegram.ts'

/** A stand-in with Ada (42) in a private chat with the bot, and grammY's client for the bot. */
export interface SetUp extends AsyncDisposable {
  readonly telegram: TelegramStandIn
  readonly api: Api
  readonly ada: User
  readonly chat: ChatHandle
  /** A call as it goes over the wire, for what grammY's types forbid. */
  call(method: string, params?: unknown): Promise<WireAnswer>
}

export interface WireAnswer {
  readonly status: number
  readonly ok: boolean
  readonly result?: unknown
  readonly error_code?: number
  readonly description?: string
  readonly parameters?: { readonly retry_after?: number }
}

export async function setUp(options?: TelegramOptions): Promise<SetUp> {
  const telegram = await createTelegram(options)
  const ada = telegram.addUser({ id: 42, first_name: 'Ada', username: 'ada_l' })
  return {
    telegram,
    api: new Api(telegram.token, { apiRoot: telegram.url }),
    ada,
    chat: telegram.privateChat(ada),
    call: async (method, params = {}) => {
      const response = await fetch(`${telegram.url}/bot${telegram.token}/${method}`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify(params),
      })
      const body = (await response.json()) as Omit<WireAnswer, 'status'>
      return { status: response.status, ...body }
    },
    [Symbol.asyncDispose]: () => telegram[Symbol.asyncDispose](),
  }
}

/** grammY's types know another AbortSignal than Node's, which is what its client takes. */
export function forGrammy(signal: AbortSignal): NonNullable<Parameters<Api['getMe']>[0]> {
  return signal as unknown as NonNullable<Parameters<Api['getMe']>[0]>
}
