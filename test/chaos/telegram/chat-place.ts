import type { User } from 'grammy/types'
import { RealProgram } from '../../support/real-product.ts'
import {
  createTelegram,
  type TelegramOptions,
  type TelegramStandIn,
} from '../../support/telegram/telegram.ts'
import { createPlace, type Place, type PlaceOptions } from '../support/place.ts'

/** A data directory beside Telegram's stand-in, which outlives every process that runs over the directory. */
export interface ChatPlace extends AsyncDisposable {
  readonly place: Place
  readonly telegram: TelegramStandIn
  /** The program, with `start`, over the directory; `apiRoot` instead of the stand-in's own. */
  start(apiRoot?: string): RealProgram
}

export interface ChatPlaceOptions extends PlaceOptions {
  readonly telegram?: TelegramOptions
  /** Ids of those who may talk. */
  readonly people?: readonly number[]
}

const patience = { timeoutMs: 120_000 }

export async function createChatPlace(options: ChatPlaceOptions = {}): Promise<ChatPlace> {
  const telegram = await createTelegram(options.telegram)
  const { people = [ada.id] } = options
  const settings = {
    TELEGRAM_BOT_TOKEN: telegram.token,
    TELEGRAM_API_ROOT: telegram.url,
    COUNTERSIGN_TELEGRAM_ALLOWED_USERS: people.join(','),
    ...options.settings,
  }
  const place = await createPlace({ ...options, settings })
  return {
    place,
    telegram,
    start: (apiRoot = telegram.url) => {
      const environment = { ...place.environment, TELEGRAM_API_ROOT: apiRoot }
      return new RealProgram(['start'], { cwd: place.dataDir, environment })
    },
    [Symbol.asyncDispose]: async () => {
      await place[Symbol.asyncDispose]()
      await telegram[Symbol.asyncDispose]()
    },
  }
}

export const ada: User = { id: 41, is_bot: false, first_name: 'Ada', username: 'ada' }

/** Waits until the program says that it serves Telegram. */
export async function untilServing(telegram: TelegramStandIn, program: RealProgram): Promise<void> {
  const served = telegram.waitFor(() => / is ready \(|stands by/.test(program.stdout), {
    ...patience,
    what: 'the program serves Telegram',
  })
  await whileRunning(program, served)
}

/** Resolves as `work` does; fails with what the program said if it ends first. */
export async function whileRunning<T>(program: RealProgram, work: Promise<T>): Promise<T> {
  const ended = program.ended.then(({ code, signal }) => {
    throw new Error(`the program ended (${signal ?? code}): ${program.stderr}`)
  })
  return await Promise.race([work, ended])
}
