import type { WaitOptions } from '../telegram/waiting.ts'
import { addUser } from './add-user.ts'
import { type ChannelKind, type ChannelState, createChannel, openIm } from './channels.ts'
import { type AppOptions, createApp } from './create-app.ts'
import { Deliveries } from './delivery/deliveries.ts'
import { HttpMode, type RequestUrls } from './delivery/http-mode.ts'
import { SocketMode } from './delivery/socket-mode.ts'
import type { Transport } from './delivery/transport.ts'
import type { StoredFile } from './files/files.ts'
import { type FaultHook, FaultScript } from './limits/faults.ts'
import { RateGuard, type RateLimits } from './limits/rate-limits.ts'
import { type AssistantHandle, openAssistant } from './people/assistant-handle.ts'
import { ChannelHandle } from './people/channel-handle.ts'
import { ModalHandle } from './people/modal-handle.ts'
import { Platform, type PlatformParts } from './platform.ts'
import type { OpenCall } from './request-log.ts'
import { ResponseUrls } from './respond/response-urls.ts'
import { Triggers } from './respond/triggers.ts'
import { listen } from './server.ts'
import type { SlackUser, Team, UserOptions } from './users.ts'
import { createWorld, type World } from './world.ts'

export interface SlackOptions extends AppOptions {
  readonly limits?: RateLimits
  readonly fault?: FaultHook
  /** Unix milliseconds. */
  readonly now?: () => number
  /** Before an event that was not acknowledged counts as failed; 3 seconds unless given, as with Slack. */
  readonly ackTimeoutMs?: number
  /** Before each further try of an event; at once, after a minute and after 5 unless given, as with Slack. */
  readonly retryDelaysMs?: readonly number[]
}

/** How what happens reaches the app, which may change. */
interface Way {
  transport: Transport
}

const homeTeam: Team = { id: 'T0COUNTERS1', name: 'Countersign', domain: 'countersign' }

/**
 * Slack on a free port of 127.0.0.1, as strict as the platform, with the people on the other side of it. An app reaches it
 * by `slackApiUrl: slack.apiUrl`, `slack.botToken` and `slack.appToken` (Socket Mode):
 *
 *     await using slack = await createSlack({ scopes, events })
 *     const ada = slack.user('ada')
 *     const general = slack.channel({ name: 'general', members: [ada] })
 *     const ts = general.say(ada, `${slack.mention} what is new?`)
 *     const card = await general.waitForText('Approve?')
 *     await general.click(ada, card.ts, 'Approve').outcome
 *
 * People write, edit, click and fill in by the handles of a channel (`slack.channel`, `dm`, `groupDm`, `assistant`) and
 * of a modal (`slack.modals(ada)`). `slack.calls` has every call of the Web API, `slack.deliveries` everything that the
 * app was sent with every try, `general.messages()` what stands there, each with `notified`: whom it told of itself by
 * name. Calls fail by `slack.failNext(method, fault)`, connections by `slack.dropSockets()` and `askToReconnect()`,
 * events come twice by `slack.repeat(delivery)`. `slack.useHttp(url)` sends signed requests instead of using Socket Mode.
 */
export async function createSlack(options: SlackOptions = {}): Promise<SlackStandIn> {
  const now = options.now ?? Date.now
  const app = createApp(options, homeTeam.id)
  const changed = () => world.changed()
  const sockets = new SocketMode(app.id, changed)
  const way: Way = { transport: sockets }
  const settings = {
    ackTimeoutMs: options.ackTimeoutMs ?? 3000,
    retryDelaysMs: options.retryDelaysMs ?? [0, 60_000, 300_000],
  }
  const world: World = createWorld({
    app,
    now,
    triggers: new Triggers(now),
    responseUrls: new ResponseUrls(now),
    deliveries: new Deliveries(settings, () => way.transport, changed),
    limits: {
      editWindowMs: undefined,
      streamLifeMs: 300_000,
      streamIdleMs: 30_000,
      statusMs: 120_000,
    },
  })
  world.teams.set(homeTeam.id, homeTeam)
  const script = new FaultScript()
  const guard = new RateGuard(options.limits ?? {})
  const log: OpenCall[] = []
  const hook: { fault: FaultHook | undefined } = { fault: options.fault }
  const faultFor: FaultHook = (call) => {
    const told = script.take(call)
    return told === undefined ? hook.fault?.(call) : told.fault
  }
  const server = await listen({ world, sockets, guard, log, faultFor })
  world.url = server.url
  addUser(world, 'countersign', { id: app.userId, kind: 'bot' }, app.botId)
  return new SlackStandIn({ world, sockets, guard, log, script, hook, server }, way)
}

/** It outlives the product: what was not acknowledged is sent again to whoever connects next. */
export class SlackStandIn extends Platform {
  readonly #way: Way

  constructor(parts: PlatformParts, way: Way) {
    super(parts)
    this.#way = way
  }

  /** Sends everything to the app's URL from now on, instead of by Socket Mode. Bolt takes it at `/slack/events`. */
  useHttp(url: string | RequestUrls): HttpMode {
    const urls = typeof url === 'string' ? { events: url, interactivity: url, commands: url } : url
    const http = new HttpMode(urls, this.signingSecret, () => this.parts.world.now())
    this.#way.transport = http
    return http
  }

  /** Sends everything by Socket Mode again. */
  useSockets(): void {
    this.#way.transport = this.parts.sockets
  }

  /** Somebody of the app's team, or of the team that is named. */
  user(name: string, options: UserOptions = {}): SlackUser {
    return addUser(this.parts.world, name, options)
  }

  /** Another team, for people who share a channel by Slack Connect. */
  team(name: string): Team {
    const { world } = this.parts
    const team = { id: world.id('T'), name, domain: name.toLowerCase() }
    world.teams.set(team.id, team)
    return team
  }

  /** A group of users: `<!subteam^S…>` tells all of them. Answers its id. */
  userGroup(members: readonly SlackUser[]): string {
    const id = this.parts.world.id('S')
    this.parts.world.groups.set(
      id,
      members.map((member) => member.id),
    )
    return id
  }

  /** A channel with the app in it, unless `app` is false. Members of several teams make it a shared one. */
  channel(given: {
    readonly name: string
    readonly members: readonly SlackUser[]
    readonly isPrivate?: boolean
    readonly app?: boolean
    readonly id?: string
  }): ChannelHandle {
    const kind = given.isPrivate === true ? 'group' : 'channel'
    return this.#handle(this.#create(kind, given))
  }

  /** The direct messages of somebody with the app; the same ones every time. */
  dm(user: SlackUser): ChannelHandle {
    return this.#handle(openIm(this.parts.world, user))
  }

  /** Direct messages of several people with the app. */
  groupDm(members: readonly SlackUser[]): ChannelHandle {
    const name = `mpdm-${members.map((member) => member.name).join('--')}-1`
    return this.#handle(this.#create('mpim', { name, members }))
  }

  /** A channel by its id. */
  channelOf(id: string): ChannelHandle {
    const state = this.parts.world.channels.get(id)
    if (state === undefined) throw new Error(`there is no channel ${id}`)
    return this.#handle(state)
  }

  /** Somebody opens the app's assistant container, perhaps beside a channel. */
  assistant(user: SlackUser, lookingAt?: { readonly id: string }): AssistantHandle {
    const { world } = this.parts
    return openAssistant(world, openIm(world, user), user, lookingAt)
  }

  /** The modals that somebody has on the screen, the topmost last. */
  modals(user: SlackUser): ModalHandle[] {
    const { world } = this.parts
    return [...world.app.modals.values()]
      .filter((modal) => modal.open && modal.userId === user.id)
      .map((modal) => new ModalHandle(world, user, modal))
  }

  /** The modal that lies on top, as soon as there is one. */
  waitForModal(user: SlackUser, options?: WaitOptions): Promise<ModalHandle> {
    return this.waitFor(() => this.modals(user).at(-1), { what: 'a modal', ...options })
  }

  /** Every file that was uploaded, by the app or by people. */
  get files(): readonly StoredFile[] {
    return [...this.parts.world.files.values()].filter(({ state }) => state === 'complete')
  }

  /** Somebody deletes a file. */
  deleteFile(id: string): void {
    const file = this.parts.world.files.get(id)
    if (file !== undefined) file.deleted = true
  }

  /** Somebody removes the app from the team: its bot token is dead. */
  uninstall(): void {
    this.parts.world.app.installed = false
  }

  #create(
    kind: ChannelKind,
    given: {
      readonly name: string
      readonly members: readonly SlackUser[]
      readonly app?: boolean
      readonly id?: string
    },
  ): ChannelState {
    const { world } = this.parts
    const { app } = world
    const members = given.members.map((member) => member.id)
    const teamIds = [...new Set([app.teamId, ...given.members.map(({ teamId }) => teamId)])]
    return createChannel(world, {
      kind,
      name: given.name,
      teamIds,
      members: given.app === false ? members : [...members, app.userId],
      ...(given.id !== undefined && { id: given.id }),
    })
  }

  #handle(state: ChannelState): ChannelHandle {
    return new ChannelHandle(this.parts.world, state)
  }
}
