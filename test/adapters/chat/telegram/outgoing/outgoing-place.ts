import type { User } from 'grammy/types'
import { defaultPace, type LivePace } from '../../../../../src/adapters/chat/live/live-pace.ts'
import { createApi } from '../../../../../src/adapters/chat/telegram/api.ts'
import { createTelegramPlatform } from '../../../../../src/adapters/chat/telegram/outgoing/create-platform.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import type {
  DeliveryContext,
  LiveEvent,
  LiveSubject,
  TransientMessageLock,
} from '../../../../../src/ports/chat.ts'
import type { Log } from '../../../../../src/util/log.ts'
import { createTelegram, type TelegramOptions } from '../../../../support/telegram/telegram.ts'

/** Like the true ones in their proportions, and quicker. */
export const quickPace: LivePace = {
  ...defaultPace,
  privateMs: 60,
  groupMs: 240,
  firstMs: 80,
  typingMs: 100,
  tickMs: 120,
  draftMs: 400,
  streamMs: 200,
}

export interface OutgoingOptions {
  readonly telegram?: TelegramOptions
  readonly pace?: LivePace
  readonly timeoutMs?: number
}

/** Telegram with Ada, a private chat with her and a forum, and what goes out to them. */
export async function openOutgoing(options: OutgoingOptions = {}) {
  const telegram = await createTelegram(options.telegram)
  const ada: User = telegram.addUser({ id: 42, first_name: 'Ada' })
  const chat = telegram.privateChat(ada)
  const forum = telegram.group({ id: -1001, title: 'Forum', members: [ada], forum: true })
  const stage = new TestStage()
  const logged: unknown[] = []
  const api = createApi({
    token: telegram.token,
    apiRoot: telegram.url,
    timeoutMs: options.timeoutMs ?? 20_000,
  })
  const pace = options.pace ?? quickPace
  const platform = createTelegramPlatform({
    api,
    messages: english,
    lock: stage,
    log: logInto(logged),
    pace,
  })
  return {
    telegram,
    ada,
    chat,
    forum,
    stage,
    logged,
    platform,
    async [Symbol.asyncDispose]() {
      await platform[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

/** Keeps the passing message of each place, and lets nothing pass of what is over. */
export class TestStage implements TransientMessageLock {
  readonly messages = new Map<string, string>()
  readonly asked: LiveSubject[] = []
  isOver: (about: LiveSubject) => boolean = () => false
  #busy: Promise<unknown> = Promise.resolve()

  async hold(
    place: string,
    about: LiveSubject,
    show: Parameters<TransientMessageLock['hold']>[2],
  ): Promise<boolean> {
    return this.alone(async () => {
      this.asked.push(about)
      if (this.isOver(about)) return false
      const shown = await show(this.messages.get(place), async () => newToken())
      if (about.kind === 'turn' && shown !== undefined) this.messages.set(place, shown)
      return true
    })
  }

  /** Runs while nothing passing is shown. */
  alone<Result>(work: () => Promise<Result>): Promise<Result> {
    const result = this.#busy.then(work)
    this.#busy = result.catch(() => undefined)
    return result
  }
}

export interface TestContext extends DeliveryContext {
  readonly parts: string[]
  readonly tokens: string[]
}

export function aContext(given: Partial<DeliveryContext> = {}): TestContext {
  const parts: string[] = []
  const tokens: string[] = []
  return {
    parts,
    tokens,
    sentParts: [],
    onPart: async (id) => {
      parts.push(id)
    },
    mintTokens: async (_approvalId, actions) => {
      const minted = actions.map((action) => [action, newToken()] as const)
      tokens.push(...minted.map(([, token]) => token))
      return Object.fromEntries(minted) as Record<(typeof actions)[number], string>
    },
    mintBatchTokens: async (_batchId, actions) => {
      const minted = actions.map((action) => [action, newToken()] as const)
      tokens.push(...minted.map(([, token]) => token))
      return Object.fromEntries(minted) as Record<(typeof actions)[number], string>
    },
    mintFeedbackTokens: async () => ({ good: 'good', bad: 'bad' }),
    mintRevokeTokens: async (grants) => {
      const minted = grants.map(newToken)
      tokens.push(...minted)
      return minted
    },
    readAttachment: async () => {
      throw new Error('there is no attachment')
    },
    ...given,
  }
}

let minted = 0

function newToken(): string {
  minted += 1
  return `token-${String(minted).padStart(16, '0')}`
}

export const turnId = '019aa000-0000-7000-8000-000000000001'

export function text(words: string, epoch = 1, of = turnId): LiveEvent {
  return { kind: 'text', offset: 0, turnId: of, epoch, text: words }
}

export function thinking(epoch = 1, of = turnId): LiveEvent {
  return { kind: 'thinking', turnId: of, epoch }
}

export function progress(
  tool: string,
  words: string,
  elapsedMs: number,
  epoch = 1,
): Extract<LiveEvent, { kind: 'progress' }> {
  return { kind: 'progress', turnId, epoch, callId: 'call', tool, text: words, elapsedMs }
}

function logInto(logged: unknown[]): Log {
  const write = (fields: unknown, message: string) => logged.push({ fields, message })
  return { debug: write, info: write, warn: write, error: write }
}
