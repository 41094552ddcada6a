import type { BotCommand, Update, UserFromGetMe } from 'grammy/types'
import type { BotState } from './bots.ts'
import type { Fault, FaultHook, FaultScript } from './limits/faults.ts'
import type { RateGuard, RateLimits } from './limits/rate-limits.ts'
import type { LoggedCall, OpenCall } from './request-log.ts'
import type { UpdateKind } from './update-queue.ts'
import type { WaitOptions } from './waiting.ts'
import type { WebhookSettings } from './webhook.ts'
import type { World } from './world.ts'

export interface PlatformParts {
  readonly world: World
  readonly guard: RateGuard
  readonly log: OpenCall[]
  readonly script: FaultScript
  readonly hook: { fault: FaultHook | undefined }
  readonly server: { readonly url: string } & AsyncDisposable
}

/** The platform as a test drives and watches it. */
export class Platform implements AsyncDisposable {
  /** The apiRoot: `http://127.0.0.1:PORT`. */
  readonly url: string
  protected readonly parts: PlatformParts

  constructor(parts: PlatformParts) {
    this.url = parts.server.url
    this.parts = parts
  }

  get token(): string {
    return this.botState().token
  }

  get bot(): UserFromGetMe {
    return this.botState().user
  }

  /** Faults for the next calls (of this method, or of any), in order; `undefined` lets one pass. */
  failNext(method: string | undefined, ...faults: readonly (Fault | undefined)[]): void {
    this.parts.script.add(method, faults)
  }

  /** Faults that were given to `failNext` and did not happen yet. */
  get faultsLeft(): number {
    return this.parts.script.left
  }

  /** Asked for every call that `failNext` has nothing for. */
  set fault(fault: FaultHook | undefined) {
    this.parts.hook.fault = fault
  }

  set limits(limits: RateLimits) {
    this.parts.guard.limits = limits
  }

  /** Calls that came before the time that an earlier 429 named. */
  get tooEarly(): number {
    return this.parts.guard.tooEarly
  }

  set callbackQueryMaxAgeMs(ms: number) {
    this.parts.world.callbackQueryMaxAgeMs = ms
  }

  /** Any update, for those that people's side has no word for. Undefined: the bot does not want it. */
  pushUpdate(kind: UpdateKind, payload: unknown, token?: string): Update | undefined {
    return this.botState(token).updates.push(kind, payload)
  }

  /** Gives a bot's update again, as the platform may, even though it was confirmed. */
  repeatUpdate(update: Update, token?: string): void {
    this.botState(token).updates.repeat(update)
  }

  /** Every call with a known token, in order. */
  get calls(): readonly LoggedCall[] {
    return this.parts.log
  }

  callsOf(method: string): readonly LoggedCall[] {
    return this.calls.filter((call) => call.method === method)
  }

  /** Updates that nobody confirmed. */
  pendingUpdates(token?: string): readonly Update[] {
    return this.botState(token).updates.pending
  }

  /** By scope and language: `default:`, `all_private_chats:de`. */
  commands(scope = 'default:', token?: string): readonly BotCommand[] {
    return this.botState(token).commands.get(scope) ?? []
  }

  webhook(token?: string): WebhookSettings | undefined {
    return this.botState(token).webhook.settings
  }

  /** Whether a getUpdates waits now. */
  isPolled(token?: string): boolean {
    return this.botState(token).updates.isPolled
  }

  /** The first value that is neither undefined nor false nor null; fails after 30 seconds. */
  waitFor<T>(look: () => T | undefined | false | null, options?: WaitOptions): Promise<T> {
    return this.parts.world.changes.until(look, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const bot of this.parts.world.bots) bot.webhook.set(undefined)
    await this.parts.server[Symbol.asyncDispose]()
  }

  protected botState(token?: string): BotState {
    const { bots } = this.parts.world
    const bot = token === undefined ? bots[0] : bots.find((each) => each.token === token)
    if (bot === undefined) throw new Error('no such bot')
    return bot
  }
}
