import { z } from 'zod'
import type { EgressLimits } from '../../ports/egress.ts'
import { allowedHost } from '../../rules/web/egress/allowed-hosts.ts'

const countOf = (most: number) => z.int().min(1).max(most)
const day = 86_400_000

const egressLimits = z.strictObject({
  headerBytes: z.int().min(256).max(65_536).default(16_384),
  headerMs: countOf(day).default(10_000),
  connections: countOf(10_000).default(64),
  connectMs: countOf(day).default(15_000),
  helloMs: countOf(day).default(10_000),
  idleMs: countOf(day).default(300_000),
  halfOpenMs: countOf(day).default(30_000),
  bytes: countOf(Number.MAX_SAFE_INTEGER).optional(),
  askMs: countOf(day).default(60_000),
  pendingAsks: countOf(1_000).default(3),
  asksPerHour: countOf(10_000).default(20),
} satisfies Record<keyof EgressLimits, z.ZodType>)

/** The limits in force. */
export type Limits = z.output<typeof egressLimits>

/** The parts of the options that come from a configuration. */
export const egressSettings = z.strictObject({
  hosts: z.array(allowedHost).max(1_000),
  limits: egressLimits,
})

/** Allows tests to serve hosts locally. The program has no way to set it. */
export interface EgressHooksForTests {
  /** Name servers as `address:port` that replace the system's. */
  readonly nameServers: readonly string[]
  /** Addresses that may be connected to although they are not public. */
  readonly mayReach: (address: string) => boolean
}
