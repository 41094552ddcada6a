import { z } from 'zod'
import { allowedHost } from '../../rules/web/egress/allowed-hosts.ts'

const countOf = (most: number) => z.int().min(1).max(most)
const day = 86_400_000

/** Limits of one proxy. Times are milliseconds. */
export const egressLimits = z.strictObject({
  /** Head of a request. */
  headerBytes: z.int().min(256).max(65_536).default(16_384),
  /** Until a head is whole. */
  headerMs: countOf(day).default(10_000),
  /** Connections of the program at once; further ones are answered with 503. */
  connections: countOf(10_000).default(64),
  /** For looking a name up and connecting. */
  connectMs: countOf(day).default(15_000),
  /** From the answer to CONNECT to a whole ClientHello. */
  helloMs: countOf(day).default(10_000),
  /** Without a byte in either direction. */
  idleMs: countOf(day).default(300_000),
  /** Without a byte once one of both sides has ended. */
  halfOpenMs: countOf(day).default(30_000),
  /** In both directions together, of one connection; absent: no limit. */
  bytes: countOf(Number.MAX_SAFE_INTEGER).optional(),
  /** How long a connection waits for an answer of `ask`. */
  askMs: countOf(day).default(60_000),
  /** Questions that wait for an answer at once, and new ones within an hour; what is beyond is refused without one. */
  pendingAsks: countOf(1_000).default(3),
  asksPerHour: countOf(10_000).default(20),
})

export type EgressLimits = z.output<typeof egressLimits>

/** The parts of the options that come from a configuration. */
export const egressSettings = z.strictObject({
  hosts: z.array(allowedHost).max(1_000),
  limits: egressLimits.prefault({}),
})

/** User and group ids on the host. */
export interface SocketOwner {
  readonly uid: number
  readonly gid: number
}

export interface EgressOptions {
  /** Directory on the host for the socket, made with mode 0700 if it is absent. Its path has at most 90 bytes. */
  readonly directory: string
  /** User who may connect, if not our own; root only. */
  readonly owner?: SocketOwner
  /** Entries as `allowedHost` takes them. */
  readonly hosts: readonly string[]
  readonly limits?: z.input<typeof egressLimits>
  readonly ask?: AskForHost
  readonly observe: (event: EgressEvent) => void
}

/**
 * Answers for a public name that is not in the list; absent: all are refused. Calls for the same host and port while one waits get its
 * answer. `allow` holds for the connections that wait when it comes, and for no later one: remember what holds longer, and answer the
 * next call at once. A rejection denies. The connections may have given up when the answer comes.
 */
export type AskForHost = (host: string, port: number) => Promise<'allow' | 'deny'>

/** Record of one connection or, without TLS, of one request; emitted when it has ended. */
export interface EgressEvent {
  /** As normalised; as it was written, shortened, where that is not a host. */
  readonly host: string
  /** 0 if none was named. */
  readonly port: number
  /** IP address that was connected to. */
  readonly address?: string
  readonly outcome: 'allowed' | 'refused'
  /** Why it was refused, or broken off. */
  readonly why?: string
  /** Bytes that the host was sent and that it sent, without our own answers. */
  readonly bytesUp: number
  readonly bytesDown: number
  readonly ms: number
}

/** Allows tests to serve hosts locally. The program has no way to set it. */
export interface EgressHooksForTests {
  /** Name servers as `address:port` that replace the system's. */
  readonly nameServers: readonly string[]
  /** Addresses that may be connected to although they are not public. */
  readonly mayReach: (address: string) => boolean
}
