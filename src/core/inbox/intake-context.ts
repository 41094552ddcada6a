import type { Db } from '../../db/schema.ts'
import type { Incoming } from '../../ports/chat.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'

/** What letting people in needs. */
export type IntakeKernel = Kernel

/** What came in from a platform, within the transaction that takes it. */
export interface IntakeContext {
  readonly kernel: IntakeKernel
  readonly db: Db
  readonly after: Effects
  readonly incoming: Incoming
}
