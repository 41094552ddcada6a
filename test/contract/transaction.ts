import { join } from 'node:path'
import type { BoxSpec, SandboxDriver } from '../../src/ports/sandbox.ts'
import { BoxPool } from '../../src/worker/box/box-pool.ts'
import { askBox } from '../../src/worker/snapshots/answers.ts'
import { SnapshotStore } from '../../src/worker/snapshots/snapshot-store.ts'
import { Transaction } from '../../src/worker/snapshots/transaction.ts'

/** Runs a command in one box of a driver, as a call that failed, and answers what is told of putting the workspace back. */
export async function failInTransaction(
  driver: SandboxDriver,
  spec: BoxSpec,
  command: string,
): Promise<string | undefined> {
  await using pool = new BoxPool({
    driver,
    idleTimeoutMs: 60_000,
    maxBoxes: 1,
    specFor: () => spec,
  })
  const lists = { allowed: [], denyRead: [], allowRead: [], denyByRule: [], masked: [] }
  const rules = { ...lists, workspace: driver.boxWorkspace(spec.workspace) }
  const never = new AbortController().signal
  const options = {
    store: new SnapshotStore(join(spec.workspace, '../snapshots')),
    withBox: async <T>(work: (ask: ReturnType<typeof askBox>) => Promise<T>) => {
      using lease = await pool.lease('c1', never)
      return await work(askBox(lease.client, rules))
    },
    maxBytes: 1_000_000,
    caller: 'test:ada',
    isRequired: true,
    isBackground: false,
  }
  const transaction = await Transaction.begin(options, never)
  if (transaction.problem !== undefined) throw new Error(transaction.problem)
  await options.withBox((ask) => ask('bash', { command }, never))
  const ended: { kind: 'interrupted'; note?: string } = { kind: 'interrupted' }
  return (await transaction.settle(ended)).note
}
