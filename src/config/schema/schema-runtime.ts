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
    idle_timeout: duration(1).prefault('15m').describe('When an unused box stops.'),
    start_timeout: duration(1, 600)
      .prefault('30s')
      .describe('How long a box may take to start; one that is late is removed.'),
    max_boxes: integer(1, 10_000).default(64).describe('Boxes that one worker keeps at most.'),
    image: textLike(/^[^\s-]\S*$/u, 'the name of an image')
      .default('countersign-box')
      .describe('The image of docker boxes: `docker build --target box --tag countersign-box .`'),
    engine: textLike(/^[^\s-]\S*$/u, 'the name or path of a program')
      .default('docker')
      .describe(
        'The program that runs them: `docker`, `podman`, or a path; podman where there is no docker.',
      ),
    network: textLike(/^[A-Za-z0-9][\w.-]*$/u, 'the name of a network')
      .optional()
      .describe(
        'The network of the engine that commands get with `[tools.shell] allow_network`; one that was made for it, never `host` or `bridge`.',
      ),
    pids: integer(8, 1_000_000).default(512).describe('Processes in a box.'),
    memory_bytes: integer(67_108_864).default(2_147_483_648).describe('Memory of a box.'),
    cpus: z.number().min(0.1).max(1_024).default(2).describe('Processors of a box.'),
    tmp_bytes: integer(1_048_576).default(268_435_456).describe('Size of `/tmp` in a box.'),
  })
  .prefault({})
  .describe('The boxes in which tools run.')

export const queueSection = z
  .strictObject({
    prefix: textLike(/^[A-Za-z0-9_-]{1,64}$/u, 'letters, digits, `-` and `_`')
      .default('countersign')
      .describe('Begins the name of every queue, so that several systems can share a Redis.'),
  })
  .prefault({})
  .describe('The queue; its address is `REDIS_URL`.')

export const databaseSection = z
  .strictObject({
    pool_size: integer(1, 1_000).default(6).describe('Connections of one process.'),
    statement_timeout: duration(1, 3_600).prefault('30s').describe('The longest statement.'),
  })
  .prefault({})
  .describe('Postgres; its address is `DATABASE_URL`.')

export const workerSection = z
  .strictObject({
    name: textLike(/^[a-z0-9][a-z0-9-]{0,31}$/u, 'at most 32 lower-case letters, digits and `-`')
      .default('default')
      .describe('The worker this process is, or that new sessions get.'),
    workspace: hostPath()
      .optional()
      .describe('One directory for all sessions; unset: one a conversation in the data directory.'),
    grace: duration(0)
      .prefault('10m')
      .describe(
        'How long calls wait for a worker that went away; one whose job may still be started waits until that has expired (16 min).',
      ),
    concurrency: integer(1, 1_000).default(16).describe('Calls that one replica runs at once.'),
    skill_folders: z.array(hostPath()).default([]).describe('Folders that hold skills.'),
  })
  .prefault({})
  .describe('Where tools run.')

export const auditSection = z
  .strictObject({
    retention_days: integer(0, 36_500).default(0).describe('Days that rows are kept; 0: for ever.'),
    checkpoint_every: duration(1, 86_400)
      .prefault('1m')
      .describe('How often the heads are signed.'),
    verify_every: duration(0, 30 * 86_400)
      .prefault('1d')
      .describe('How often an agent verifies the whole audit; 0: never.'),
  })
  .prefault({})
  .describe('The audit log.')

export const retentionSection = z
  .strictObject({
    conversations_days: integer(0, 36_500)
      .default(0)
      .describe(
        'Days after which a conversation without a message or turn is deleted, with its files, and a transcript that `/clear` ended; 0: never.',
      ),
    outputs_days: integer(0, 36_500)
      .default(0)
      .describe(
        'Days that what calls gave is kept, beside `[tools.overflow]`; 0: as long as its conversation.',
      ),
  })
  .prefault({})
  .describe('How long conversations are kept. The audit has `[audit] retention_days`.')

/** The default of `[http] listen`. */
export const usualListen = '127.0.0.1:8420'

export const httpSection = z
  .strictObject({
    listen: listenAddress()
      .optional()
      .describe(
        'Where health, metrics, webhooks and the API are served; port 0: any free one. Unset: `127.0.0.1:8420`, and nothing where another program has that; an address named here must be free, or nothing starts.',
      ),
    public_url: url('https', 'http').optional().describe('How others reach it.'),
    allowed_hosts: z
      .array(textLike(/^[\w.-]+$/u, 'the name of a host, without a port'))
      .default([])
      .describe(
        'Names by which `/metrics` and `/readyz` may be asked for, besides addresses, names without a dot, `localhost` and the host of `public_url`.',
      ),
    api: z
      .boolean()
      .default(true)
      .describe(
        'Serves the API for programs that answer approvals; without a token (`countersign pair --api`) it is not there.',
      ),
  })
  .prefault({})
  .describe('The HTTP server.')

export const loggingSection = z
  .strictObject({
    level: z
      .enum(['trace', 'debug', 'info', 'warn', 'error'])
      .default('info')
      .describe('The least that is logged.'),
    format: z
      .enum(['json', 'pretty'])
      .optional()
      .describe('Unset: `pretty` on a terminal, else `json`.'),
    alerts_to: text()
      .optional()
      .describe('The operators’ conversation, such as `telegram:-100123`.'),
    otlp_endpoint: url('http', 'https').optional().describe('Where traces go; unset: nowhere.'),
  })
  .prefault({})
  .describe('Logs, alerts and traces.')

export const limitsSection = z
  .strictObject({
    messages_per_minute: integer(1, 10_000)
      .default(30)
      .describe('Of one person, before they are slowed.'),
    upload_bytes: integer(1, maxUploadBytes)
      .default(maxUploadBytes)
      .describe('The largest file from a person.'),
    shutdown_grace: duration(0, 3_600)
      .prefault('30s')
      .describe('How long SIGTERM waits for work in hand.'),
  })
  .prefault({})
  .describe('Bounds on what people and processes may take.')

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
