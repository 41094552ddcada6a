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
import { createActivityReader } from '../core/delivery/take-over.ts'
import { createTransientMessageLock } from '../core/delivery/transient-message-lock.ts'
import { listCommands } from '../core/inbox/commands/find-command.ts'
import { retryThroughOutage } from '../core/transaction.ts'
import { savePlatformTeam } from '../db/people/platform-teams.ts'
import type { Log } from '../util/log.ts'
import type { ServedChat, ServeOptions } from './chat-service.ts'
import type { PlatformGateway } from './gateway-side.ts'

export interface SlackOptions {
  readonly gateway: PlatformGateway
  readonly config: Config
  readonly log: Log
  /** Called each time this process starts to receive events. */
  readonly onReceiving?: (me: SlackIdentity) => void
  /** Called with the reason, in plain words, when events cannot be received. */
  readonly onTrouble?: (why: string) => void
  /** Called with the port for Slack's calls, in `http` mode. */
  readonly onListening?: (port: number) => void
}

/** Longer than any Slack call takes, except file transfers. */
const callTimeoutMs = 20_000

/** Serves Slack with the configured tokens and prints its status. */
export function startSlack({ gateway, config, log, printLine }: ServeOptions): Promise<ServedChat> {
  return serveSlack({
    gateway,
    config,
    log,
    onReceiving: ({ name, team }) =>
      printLine(`@${name} is ready in ${team} (${config.slack.mode}). Ctrl-C ends.`),
    onListening: (port) => printLine(`listening on port ${port}, at /slack/events.`),
    onTrouble: printLine,
  })
}

/** Serves Slack: sends cards and answers; receives events by Socket Mode, or as calls in `http` mode (SLACK-01). */
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
  const turnStates = createActivityReader(gateway.ctx.db, 'slack')
  const sessions = new AgentSessions(client, { turnStates })
  const lock = createTransientMessageLock(gateway.ctx, 'slack')
  const platform = resources.use(
    createSlackPlatform({
      client,
      messages: gateway.ctx.messages,
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
        reader: {
          me,
          paths,
          commands: new Set(listCommands(gateway.ctx.messages).map(({ name }) => name)),
        },
        people: createPeople(client, me),
        intake,
        messages: gateway.ctx.messages,
        threads: createThreads(client, gateway.ctx.messages, log),
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
  // The caller handles a rejection; an unhandled one must not end the process.
  received.catch(() => undefined)
  resources.defer(async () => {
    ending.abort(new Error('the gateway was stopped'))
    await received.catch(() => undefined)
  })
  return { received, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

/** CHAT-01: after a change of workspace, callers known from the previous one are unknown. */
async function noteTeam({ db, log }: PlatformGateway['ctx'], { teamId }: SlackIdentity) {
  const before = await retryThroughOutage(() => savePlatformTeam(db, 'slack', teamId))
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
