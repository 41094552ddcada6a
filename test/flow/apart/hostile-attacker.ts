import { Redis } from 'ioredis'
import { z } from 'zod'
import {
  type SignedJob,
  type SignedMessage,
  signedJob,
  signedMessage,
} from '../../../src/rules/jobs/contract.ts'

/** Somebody with the address of the queue, its password included, and this source code; nothing else. */
export interface Attacker extends AsyncDisposable {
  readonly redis: Redis
  /** Signed jobs that went over the wire so far, each with the queue it was for. */
  readonly jobs: readonly CapturedJob[]
  /** Signed messages of workers that went over the wire so far. */
  readonly messages: readonly SignedMessage[]
  /** What was on the bus so far. */
  readonly events: readonly BusEvent[]
  /** Adds a job as BullMQ would, under a fresh id. */
  push(queue: string, data: unknown): Promise<void>
  /** Adds a job whose stored text need not be JSON. */
  pushText(queue: string, text: string): Promise<void>
  /** Adds so many jobs with the same text at once. */
  flood(queue: string, count: number, text: string): Promise<void>
  publish(topic: string, payload: unknown): Promise<void>
  /** Publishes the same so many times at once; `%` in its text becomes a number that differs. */
  shout(topic: string, count: number, payload: unknown): Promise<void>
  /** Hears nothing of the wire any more: a flood of it would keep this process busy. */
  stopListening(): void
  /** Waits until nothing waits in the queue and nothing of it is in hand, but so many that are meant to be. */
  drained(queue: string, left?: number): Promise<void>
}

export interface CapturedJob {
  readonly queue: string
  readonly id: string
  readonly job: SignedJob
}

export type BusEvent = z.infer<typeof busEvent>

const prefix = 'countersign'
const channel = `${prefix}:0:bus`
/** Begins the ids of what the attacker adds; it knows that already. */
const ownIds = 'forged-'
const busEvent = z.object({ topic: z.string(), payload: z.unknown() })
const stored = z.object({ data: z.unknown() })

/** One round trip however many: what BullMQ's own script does, in a loop. */
const addMany = `
  for i = 1, tonumber(ARGV[2]) do
    local id = ARGV[1] .. '-' .. i
    redis.call('HSET', KEYS[1] .. id, 'name', 'job', 'data', ARGV[3], 'opts', '{"attempts":1}',
      'timestamp', '1800000000000', 'delay', '0', 'priority', '0')
    redis.call('LPUSH', KEYS[1] .. 'wait', id)
  end
  redis.call('ZADD', KEYS[1] .. 'marker', 0, '0')`

const publishMany = `
  for i = 1, tonumber(ARGV[2]) do
    redis.call('PUBLISH', KEYS[1], (string.gsub(ARGV[1], '%%', string.format('%012d', i))))
  end`

/** The client takes a line that comes together with the answer to MONITOR for an error: then another try has more luck. */
async function openMonitor(redis: Redis, tries = 5): Promise<Redis> {
  return redis.monitor().catch((error: unknown) => {
    if (tries <= 1) throw error
    return openMonitor(redis, tries - 1)
  })
}

export async function createAttacker(url: string): Promise<Attacker> {
  const redis = new Redis(url)
  const ears = redis.duplicate()
  const jobs: CapturedJob[] = []
  const messages: SignedMessage[] = []
  const events: BusEvent[] = []
  const monitor = await openMonitor(redis)
  monitor.on('monitor', (_time: string, args: readonly string[]) => {
    const seen = jobOnTheWire(args)
    if (seen === undefined || seen.id.startsWith(ownIds)) return
    const job = signedJob.safeParse(seen.data)
    const message = signedMessage.safeParse(seen.data)
    if (job.success) jobs.push({ queue: seen.queue, id: seen.id, job: job.data })
    if (message.success) messages.push(message.data)
  })
  ears.on('message', (_channel, text) => {
    const event = busEvent.safeParse(tryParse(text))
    if (event.success) events.push(event.data)
  })
  await ears.subscribe(channel)
  let count = 0
  const flood = async (queue: string, many: number, text: string): Promise<void> => {
    count += 1
    const own = `${ownIds}${process.pid}-${count}`
    await redis.eval(addMany, 1, `${prefix}:${queue}:`, own, many, text)
  }
  const pushText = (queue: string, text: string) => flood(queue, 1, text)
  return {
    redis,
    jobs,
    messages,
    events,
    push: (queue, data) => pushText(queue, JSON.stringify({ data })),
    pushText,
    flood,
    publish: async (topic, payload) => {
      await redis.publish(channel, JSON.stringify({ topic, payload }))
    },
    shout: async (topic, many, payload) => {
      await redis.eval(publishMany, 1, channel, JSON.stringify({ topic, payload }), many)
    },
    stopListening: () => {
      monitor.disconnect()
      ears.disconnect()
    },
    drained: (queue, left = 0) => untilDrained(redis, queue, left),
    [Symbol.asyncDispose]: async () => {
      for (const client of [monitor, ears, redis]) client.disconnect()
    },
  }
}

/** BullMQ's script writes each job into a hash of its own, which whoever monitors Redis can read. */
function jobOnTheWire(args: readonly string[]) {
  const [command = '', key = '', ...fields] = args
  if (!/^hm?set$/i.test(command) || !key.startsWith(`${prefix}:`)) return undefined
  const [, queue = '', id = ''] = key.split(':')
  const text = fields[fields.indexOf('data') + 1] ?? ''
  const parsed = stored.safeParse(tryParse(decode(text)))
  return parsed.success ? { queue, id, data: parsed.data.data } : undefined
}

const controls: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', a: '\x07', b: '\b' }

/** Undoes what MONITOR does to bytes that are not plain ASCII; ioredis has undone the quotes. */
function decode(arg: string): string {
  const bytes = arg.replace(/\\(x[0-9a-f]{2}|[\\nrtab])/g, (_all, code: string) =>
    code.startsWith('x') && code.length === 3
      ? String.fromCharCode(Number.parseInt(code.slice(1), 16))
      : (controls[code] ?? '\\'),
  )
  return Buffer.from(bytes, 'latin1').toString('utf8')
}

const patienceMs = 120_000

async function untilDrained(redis: Redis, queue: string, left: number): Promise<void> {
  const deadline = performance.now() + patienceMs
  for (;;) {
    const key = `${prefix}:${queue}`
    const [waiting, active] = await Promise.all([
      redis.llen(`${key}:wait`),
      redis.llen(`${key}:active`),
    ])
    if (waiting === 0 && active <= left) return
    if (performance.now() > deadline) {
      throw new Error(`${queue} still has ${waiting} jobs waiting and ${active} in hand`)
    }
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
}

function tryParse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? '')
  } catch {
    return undefined
  }
}
