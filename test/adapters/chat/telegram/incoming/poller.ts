import { Api } from 'grammy'
import { poll } from '../../../../../src/adapters/chat/telegram/incoming/poll.ts'
import { english } from '../../../../../src/domain/messages/messages.ts'
import type { TelegramStandIn } from '../../../../support/telegram/telegram.ts'
import { MemoryLog } from './memory-log.ts'
import { RecordingIntake } from './recording-intake.ts'

export const ada = { id: 42, is_bot: false, first_name: 'Ada', username: 'ada' }
export const bob = { id: 43, is_bot: false, first_name: 'Bob' }

export interface Poller extends AsyncDisposable {
  readonly intake: RecordingIntake
  readonly log: MemoryLog
  /** Settles when the poller has ended. */
  readonly ended: Promise<void>
  abort(): void
}

/** A poller at the stand-in, by grammY's client as it is: nothing in between hides what it says in errors. */
export function startPoller(
  telegram: TelegramStandIn,
  given: { intake?: RecordingIntake; token?: string; pollTimeoutS?: number } = {},
): Poller {
  const { intake = new RecordingIntake(), token = telegram.token, pollTimeoutS = 30 } = given
  const ending = new AbortController()
  const { signal } = ending
  const log = new MemoryLog()
  const api = new Api(token, { apiRoot: telegram.url })
  const { id, username = '', first_name: name } = telegram.bot
  const me = { id, username, name, canJoinGroups: true, readsWholeGroups: true }
  const ended = poll({ api, intake, messages: english, me, log, signal, pollTimeoutS })
  ended.catch(() => undefined)
  return {
    intake,
    log,
    ended,
    abort: () => ending.abort(),
    [Symbol.asyncDispose]: async () => {
      ending.abort()
      await ended.catch(() => undefined)
    },
  }
}
