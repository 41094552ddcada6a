import type { Db } from '../../db/schema.ts'
import type { Incoming } from '../../ports/chat.ts'
import type { Kernel } from '../kernel/kernel.ts'
import type { Effects } from '../kernel/transact.ts'
import type { RoleLists } from './role-lists.ts'

/** What letting people in needs. */
export interface IntakeKernel extends Kernel {
  /** By platform, as the configuration has it; a platform that is not there has nobody. */
  readonly people: Readonly<Record<string, RoleLists>>
}

/** What came in from a platform, within the transaction that takes it. */
export interface IntakeContext {
  readonly kernel: IntakeKernel
  readonly db: Db
  readonly after: Effects
  readonly incoming: Incoming
}
