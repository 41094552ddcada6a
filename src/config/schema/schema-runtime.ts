import { z } from 'zod'
import { maxUploadBytes } from '../../domain/upload-name.ts'
import { duration, hostPath, integer, keyKinds, text, textLike, url } from '../key-types.ts'

export const sandboxSection = z
  .strictObject({
    driver: z
      .enum(['auto', 'docker', 'bubblewrap', 'process'])
      .default('auto')
      .describe(
        '`auto`: bubblewrap where it works, else docker where the image of boxes is, else process.',
      ),
    idle_timeout: duration(1).prefault('15m').describe('Idle time after which a box stops.'),
    start_timeout: duration(1, 600)
      .prefault('30s')
      .describe('Time limit for starting a box; a box that takes longer is removed.'),
    max_boxes: integer(1, 10_000).default(64).describe('Maximum number of boxes of a worker.'),
    image: textLike(/^[^\s-]\S*$/u, 'the name of an image')
      .default('countersign-box')
      .describe('Image of docker boxes: `docker build --target box --tag countersign-box .`'),
    engine: textLike(/^[^\s-]\S*$/u, 'the name or path of a program')
      .default('docker')
      .describe('Container program: `docker`, `podman`, or a path; podman if there is no docker.'),
    network: textLike(/^[A-Za-z0-9][\w.-]*$/u, 'the name of a network')
      .optional()
      .describe(
        'Network of the engine for commands with `[tools.shell] allow_network`; a dedicated one, never `host` or `bridge`.',
      ),
    pids: integer(8, 1_000_000).default(512).describe('Maximum processes of a box.'),
    memory_bytes: integer(67_108_864).default(2_147_483_648).describe('Memory limit of a box.'),
    cpus: z.number().min(0.1).max(1_024).default(2).describe('Processor limit of a box.'),
    tmp_bytes: integer(1_048_576).default(268_435_456).describe('Size of `/tmp` in a box.'),
  })
  .prefault({})
  .describe('The boxes in which tools run.')

export const queueSection = z
  .strictObject({
    prefix: textLike(/^[A-Za-z0-9_-]{1,64}$/u, 'letters, digits, `-` and `_`')
      .default('countersign')
      .describe('Prefix of queue names, so that several installations can share a Redis.'),
  })
  .prefault({})
  .describe('Queue; its address is `REDIS_URL`.')

export const databaseSection = z
  .strictObject({
    pool_size: integer(1, 1_000).default(6).describe('Connections per process.'),
    statement_timeout: duration(1, 3_600).prefault('30s').describe('Time limit of a statement.'),
  })
  .prefault({})
  .describe('PostgreSQL; its address is `DATABASE_URL`.')

export const workerSection = z
  .strictObject({
    name: textLike(/^[a-z0-9][a-z0-9-]{0,31}$/u, 'at most 32 lower-case letters, digits and `-`')
      .default('default')
      .describe('Name of this worker, or of the worker for new sessions.'),
    workspace: hostPath()
      .optional()
      .describe('Directory for all sessions; unset: one per conversation in the data directory.'),
    grace: duration(0)
      .prefault('10m')
      .describe(
        'Time that calls wait for a lost worker; a call whose job may still start waits until the job expires (16 min).',
      ),
    concurrency: integer(1, 1_000)
      .default(16)
      .describe('Calls that one replica runs concurrently.'),
    skill_folders: z.array(hostPath()).default([]).describe('Folders that hold skills.'),
  })
  .prefault({})
  .describe('Worker, which runs tools.')

export const auditSection = z
  .strictObject({
    retention_days: integer(0, 36_500).default(0).describe('Days to keep rows; 0: for ever.'),
    checkpoint_every: duration(1, 86_400)
      .prefault('1m')
      .describe('Interval of signed checkpoints.'),
    verify_every: duration(0, 30 * 86_400)
      .prefault('1d')
      .describe('Interval of full verifications; 0: never.'),
  })
  .prefault({})
  .describe('Audit log.')

export const retentionSection = z
  .strictObject({
    conversations_days: integer(0, 36_500)
      .default(0)
      .describe(
        'Days without messages after which a conversation is deleted with its files, and days to keep transcripts ended by `/clear`; 0: for ever.',
      ),
    outputs_days: integer(0, 36_500)
      .default(0)
      .describe(
        'Days to keep results of calls, besides `[tools.overflow]`; 0: as long as the conversation.',
      ),
  })
  .prefault({})
  .describe('Retention of conversations. The audit has `[audit] retention_days`.')

/** The default of `[http] listen`. */
export const usualListen = '127.0.0.1:8420'

export const httpSection = z
  .strictObject({
    listen: listenAddress()
      .optional()
      .describe(
        'Address for health, metrics, webhooks and the API; port 0: any free port. Unset: `127.0.0.1:8420`, or nothing if another program uses it. An address named here must be free, else the start fails.',
      ),
    public_url: url('https', 'http').optional().describe('Public address of this server.'),
    allowed_hosts: z
      .array(textLike(/^[\w.-]+$/u, 'the name of a host, without a port'))
      .default([])
      .describe(
        'Host names that `/metrics` and `/readyz` accept, besides IP addresses, names without a dot, `localhost` and the host of `public_url`.',
      ),
    api: z
      .boolean()
      .default(true)
      .describe(
        'Serves the API for programs that answer approvals, once a token exists (`countersign pair --api`).',
      ),
  })
  .prefault({})
  .describe('HTTP server.')

export const loggingSection = z
  .strictObject({
    level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error'])
      .default('info')
      .describe('Lowest level that is logged.'),
    format: z
      .enum(['json', 'pretty'])
      .optional()
      .describe('Unset: `pretty` on a terminal, else `json`.'),
    alerts_to: text()
      .optional()
      .describe('Conversation of the operators, such as `telegram:-100123`.'),
    otlp_endpoint: url('http', 'https')
      .optional()
      .describe('Address of the trace collector; unset: no traces.'),
  })
  .prefault({})
  .describe('Logs, alerts and traces.')

export const limitsSection = z
  .strictObject({
    messages_per_minute: integer(1, 10_000)
      .default(30)
      .describe('Messages of one person per minute before they are slowed down.'),
    upload_bytes: integer(1, maxUploadBytes)
      .default(maxUploadBytes)
      .describe('Maximum size of a file from a person.'),
    shutdown_grace: duration(0, 3_600)
      .prefault('30s')
      .describe('Time that a stop by SIGTERM waits for running work.'),
  })
  .prefault({})
  .describe('Limits of people and processes.')

/** Host and port; an IPv6 address is in brackets. */
function listenAddress() {
  return z
    .string()
    .refine((address) => {
      const [, port] = /^(?:\[[\da-f:.]+\]|[\w.-]+):(\d{1,5})$/iu.exec(address) ?? []
      return port !== undefined && Number(port) <= 65_535
    })
    .register(keyKinds, { kind: 'text', expected: 'an address such as `127.0.0.1:8420`' })
}
