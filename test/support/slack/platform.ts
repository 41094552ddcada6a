import type { WaitOptions } from '../telegram/waiting.ts'
import type { DeliveryRecord } from './delivery/deliveries.ts'
import type { SocketMode, StrayAck } from './delivery/socket-mode.ts'
import type { Fault, FaultHook, FaultScript } from './limits/faults.ts'
import type { RateGuard, RateLimits } from './limits/rate-limits.ts'
import type { LoggedCall, OpenCall } from './request-log.ts'
import type { World, WorldLimits } from './world.ts'

export interface PlatformParts {
  readonly world: World
  readonly sockets: SocketMode
  readonly guard: RateGuard
  readonly log: OpenCall[]
  readonly script: FaultScript
  readonly hook: { fault: FaultHook | undefined }
  readonly server: { readonly url: string } & AsyncDisposable
}

/** The platform as a test drives and watches it. */
export class Platform implements AsyncDisposable {
  /** `http://127.0.0.1:PORT` */
  readonly url: string
  /** Bolt's `slackApiUrl`. */
  readonly apiUrl: string
  readonly botToken: string
  readonly appToken: string
  readonly signingSecret: string
  readonly appId: string
  readonly teamId: string
  /** The app's user, as people mention it: `<@U…>`. */
  readonly mention: string
  readonly botUserId: string
  protected readonly parts: PlatformParts

  constructor(parts: PlatformParts) {
    const { app } = parts.world
    this.parts = parts
    this.url = parts.server.url
    this.apiUrl = `${parts.server.url}/api/`
    this.botToken = app.botToken
    this.appToken = app.appToken
    this.signingSecret = app.signingSecret
    this.appId = app.id
    this.teamId = app.teamId
    this.botUserId = app.userId
    this.mention = `<@${app.userId}>`
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

  set rateLimits(limits: RateLimits) {
    this.parts.guard.limits = limits
  }

  /** Calls that came before the time that an earlier 429 named. */
  get tooEarly(): number {
    return this.parts.guard.tooEarly
  }

  /** What the platform allows, to be changed. */
  get limits(): WorldLimits {
    return this.parts.world.limits
  }

  /** How long a trigger id is good; 3 seconds unless set. */
  set triggerMaxAgeMs(ms: number) {
    this.parts.world.triggers.maxAgeMs = ms
  }

  set ackTimeoutMs(ms: number) {
    this.parts.world.deliveries.settings.ackTimeoutMs = ms
  }

  set retryDelaysMs(delays: readonly number[]) {
    this.parts.world.deliveries.settings.retryDelaysMs = delays
  }

  /** Every call of the Web API, in order. */
  get calls(): readonly LoggedCall[] {
    return this.parts.log
  }

  callsOf(method: string): readonly LoggedCall[] {
    return this.calls.filter((call) => call.method === method)
  }

  /** Everything that was sent to the app, in order. */
  get deliveries(): readonly DeliveryRecord[] {
    return this.parts.world.deliveries.records
  }

  /** The events of a type that were sent to the app: `message`, `app_mention`. */
  eventsOf(type: string): readonly Readonly<Record<string, unknown>>[] {
    return this.deliveries
      .filter(({ kind }) => kind === 'events_api')
      .map(({ payload }) => payload['event'] as Readonly<Record<string, unknown>>)
      .filter((event) => event['type'] === type)
  }

  /** Sends an event once more, though it was acknowledged. */
  repeat(record: DeliveryRecord): void {
    this.parts.world.deliveries.repeat(record)
  }

  /** Whether nothing that was sent waits for an acknowledgement or a retry. */
  get quiet(): boolean {
    return this.deliveries.every(({ state }) => state !== 'open')
  }

  /** The app's open WebSockets: how many, and how many there ever were. */
  get sockets(): { readonly open: number; readonly ever: number } {
    return { open: this.parts.sockets.connections.length, ever: this.parts.sockets.opened }
  }

  /** Acknowledgements that came late, twice, or for nothing. */
  get strayAcks(): readonly StrayAck[] {
    return this.parts.sockets.strayAcks
  }

  /** Asks the app to connect anew: all its connections, or the one of this number (from 1). */
  askToReconnect(
    reason: 'warning' | 'refresh_requested' | 'link_disabled' = 'refresh_requested',
    number?: number,
  ): void {
    this.parts.sockets.ask(reason, number)
  }

  /** Breaks the app's connections without a word: all, or the one of this number (from 1). */
  dropSockets(number?: number): void {
    this.parts.sockets.drop(number)
  }

  /** The first value that is neither undefined nor false nor null; fails after a minute. */
  waitFor<T>(look: () => T | undefined | false | null, options?: WaitOptions): Promise<T> {
    return this.parts.world.changes.until(look, options)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.parts.world.deliveries.stop()
    this.parts.sockets.close()
    await this.parts.server[Symbol.asyncDispose]()
  }
}
