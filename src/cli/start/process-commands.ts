import type { Command } from 'commander'
import type { Role } from '../../app/processes/check-state.ts'
import type { Invocation } from '../invocation.ts'

/** PROC-01: adds `gateway`, `agent` and `worker`, each of which runs in any number of processes. */
export function addProcessCommands(program: Command, invocation: Invocation): void {
  for (const role of roles) {
    const { description, help } = texts[role]
    program
      .command(role)
      .description(description)
      .addHelpText('after', `${help}${shared}`)
      .action(async () => {
        const { runProcess } = await import('./run-process.ts')
        invocation.exitCode = await runProcess(role, invocation)
      })
  }
}

const roles = ['gateway', 'agent', 'worker'] as const satisfies readonly Role[]

const texts: Readonly<Record<Role, { readonly description: string; readonly help: string }>> = {
  gateway: {
    description: 'Run a gateway: chat platforms, in a process of its own.',
    help: `
It takes in what people write and tap, and delivers what waits for them. It needs:

  DATABASE_URL         a PostgreSQL
  REDIS_URL            a Redis, where it meets agents
  TELEGRAM_BOT_TOKEN   the bot's token; or
  SLACK_BOT_TOKEN      the Slack app's, with SLACK_APP_TOKEN or SLACK_SIGNING_SECRET

  $ npx countersign doctor --for gateway
  $ npx countersign gateway

It serves the API, too (docs/reference/api.md). Of several gateways one polls Telegram, and another
takes over when it ends; all of them deliver messages.`,
  },
  agent: {
    description: 'Run an agent: turns, the gate and approvals, in a process of its own.',
    help: `
It asks the model, judges every call, signs what may run and writes down how it ended. It
needs:

  DATABASE_URL                   a PostgreSQL
  REDIS_URL                      a Redis, where it meets gateways and workers
  COUNTERSIGN_SIGNING_KEY_FILE   the key that signs jobs (countersign keys new)
  COUNTERSIGN_ENROLMENT_SECRET   the secret by which workers enrol, or its file in …_SECRET_FILE
  a model's key                  such as ANTHROPIC_API_KEY; without one the offline model answers

  $ npx countersign doctor --for agent
  $ npx countersign agent

The workers' rules are in the database. With [tools] permissions_store = "file" they are files
in the data directory (COUNTERSIGN_DATA_DIR), which several agents then have to share.`,
  },
  worker: {
    description: 'Run a worker: tool calls in boxes, in a process of its own.',
    help: `
It runs the calls that agents signed, in boxes, and signs their results. It needs:

  REDIS_URL                      a Redis, where it meets agents
  COUNTERSIGN_VERIFY_KEYS_FILE   the keys of the agents it obeys (countersign keys new)
  COUNTERSIGN_WORKER_TOKEN       the token of its name, to enrol by (countersign keys token),
                                 or its file in …_TOKEN_FILE

  $ npx countersign doctor --for worker
  $ npx countersign worker

It refuses to start while it is given the address of a database, a chat or model token, a
signing key or the enrolment secret. Replicas of one worker (COUNTERSIGN_WORKER_NAME) share
one data directory, which holds workspaces and the journal that keeps a call from running
twice. A worker on another disk needs another name, and that name's token.`,
  },
}

const shared = `

Health is at /healthz and /readyz, metrics are at /metrics, on COUNTERSIGN_HTTP_LISTEN
(127.0.0.1:8420). The log goes to standard output. At SIGTERM it takes nothing new and ends
once running work has ended, after [limits] shutdown_grace at the latest; a second SIGTERM
ends it at once.

Exit codes: 0 ended, 1 it could not run, 2 wrong usage or configuration.`
