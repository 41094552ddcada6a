import { createAnsweredThreads } from '../adapters/chat/slack/answered-threads.ts'
import { createApi } from '../adapters/chat/slack/api.ts'
import type { SlackIdentity } from '../adapters/chat/slack/connect.ts'
import { connectUntilAnswered } from '../adapters/chat/slack/incoming/connect-until-answered.ts'
import { createPeople } from '../adapters/chat/slack/incoming/people.ts'
import { receiveByHttp } from '../adapters/chat/slack/incoming/receive-by-http.ts'
import { receiveBySocket } from '../adapters/chat/slack/incoming/receive-by-socket.ts'
import type { ReceiveOptions } from '../adapters/chat/slack/incoming/receive-options.ts'
import { createSendEphemeral } from '../adapters/chat/slack/incoming/send-ephemeral.ts'
import { createEnvelopeTaker } from '../adapters/chat/slack/incoming/take-envelope.ts'
import { createThreads } from '../adapters/chat/slack/incoming/threads.ts'
import { parseAddress } from '../adapters/chat/slack/outgoing/address.ts'
import { AgentSessions } from '../adapters/chat/slack/outgoing/agent-sessions.ts'
import { createSlackPlatform } from '../adapters/chat/slack/outgoing/create-platform.ts'
import { createReplyPaths } from '../adapters/chat/slack/reply-paths.ts'
import type { Config } from '../config/config.ts'
import { createTransientMessageLock } from '../core/delivery/transient-message-lock.ts'
import { createUnderWay } from '../core/delivery/under-way.ts'
import { listCommands } from '../core/inbox/commands/find-command.ts'
import { whenBack } from '../core/when-back.ts'
import { savePlatformTeam } from '../db/people/platform-teams.ts'
import type { Log } from '../util/log.ts'
import type { ServedChat, ServeOptions } from './chat-service.ts'
import type { GatewaySide } from './gateway-side.ts'

export interface SlackOptions {
  readonly gateway: GatewaySide
  readonly config: Config
  readonly log: Log
  /** Told each time that events begin to come here. */
  readonly onReceiving?: (me: SlackIdentity) => void
  /** Told in plain words why they do not come. */
  readonly onTrouble?: (why: string) => void
  /** Told where Slack is to call, in `http` mode. */
  readonly onListening?: (port: number) => void
}

/** Longer than Slack takes for anything, but a file. */
const callTimeoutMs = 20_000

/** Serves Slack with the configured tokens, and says how it goes. */
export function startSlack({ gateway, config, log, say }: ServeOptions): Promise<ServedChat> {
  return serveSlack({
    gateway,
    config,
    log,
    onReceiving: ({ name, team }) =>
      say(`@${name} is ready in ${team} (${config.slack.mode}). Ctrl-C ends.`),
    onListening: (port) => say(`listening on port ${port}, at /slack/events.`),
    onTrouble: say,
  })
}

/** Serves Slack: cards and answers go out, events come in by Socket Mode, or in `http` mode by calls to us (SLACK-01). */
export async function serveSlack(options: SlackOptions): Promise<ServedChat> {
  const { gateway, config, log } = options
  const resources = new AsyncDisposableStack()
  const ending = new AbortController()
  const { signal } = ending
  const { slackApiUrl: apiUrl } = config.endpoints
  const token = config.secrets.slackBotToken?.reveal() ?? ''
  const client = createApi({ token, apiUrl, timeoutMs: callTimeoutMs })
  const paths = createReplyPaths(token, apiUrl)
  const answered = createAnsweredThreads()
  const turnStates = createUnderWay(gateway.ctx.db, 'slack')
  const sessions = new AgentSessions(client, { turnStates })
  const lock = createTransientMessageLock(gateway.ctx, 'slack')
  const platform = resources.use(
    createSlackPlatform({
      client,
      files: { client, token, apiUrl },
      paths,
      answered,
      sessions,
      lock,
      log,
    }),
  )
  const { intake } = await gateway.serve(platform)
  const received = connectUntilAnswered(client, { log, signal, onFailure: options.onTrouble })
    .then(async (me) => {
      await noteTeam(gateway.ctx, me)
      void sessions.clearEnded()
      const take = createEnvelopeTaker({
        client,
        reader: { me, paths, commands: new Set(listCommands().map(({ name }) => name)) },
        people: createPeople(client, me),
        intake,
        threads: createThreads(client, log),
        answered,
        onStopped: (name) => {
          const place = parseAddress(name)
          if (place !== undefined) void sessions.stopped(place)
        },
        sendEphemeral: createSendEphemeral(client, answered, log),
        log,
      })
      const onReceiving = () => options.onReceiving?.(me)
      const onFailure = (why: string) => options.onTrouble?.(why)
      return receive(options, { take, log, signal, onReceiving, onFailure })
    })
    .catch((error: unknown) => {
      if (!signal.aborted) throw error
    })
  // Whoever serves looks at it; without a look it must not end the process.
  received.catch(() => undefined)
  resources.defer(async () => {
    ending.abort(new Error('the gateway was stopped'))
    await received.catch(() => undefined)
  })
  return { received, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** CHAT-01: whoever is known from another workspace is nobody from now on. */
async function noteTeam({ db, log }: GatewaySide['ctx'], { teamId }: SlackIdentity) {
  const before = await whenBack(() => savePlatformTeam(db, 'slack', teamId))
  if (before !== undefined) log.warn({ before, teamId }, 'slack: another workspace is served')
}

function receive({ config, onListening }: SlackOptions, options: ReceiveOptions): Promise<void> {
  const { secrets, endpoints, slack } = config
  if (slack.mode === 'socket') {
    const appToken = secrets.slackAppToken?.reveal() ?? ''
    return receiveBySocket({ ...options, appToken, apiUrl: endpoints.slackApiUrl })
  }
  const signingSecret = secrets.slackSigningSecret?.reveal() ?? ''
  const told = onListening === undefined ? {} : { onListening }
  return receiveByHttp({ ...options, signingSecret, port: slack.port, ...told })
}
