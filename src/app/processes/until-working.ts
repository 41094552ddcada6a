import { setTimeout as delay } from 'node:timers/promises'
import type { CoreContext } from '../../core/context.ts'
import { noticeToolsAway } from '../../core/transaction.ts'

interface Starting<Working> {
  /** Resolves once tools can run; rejects where they cannot. */
  readonly working: Promise<Working>
  readonly ctx: CoreContext
}

/** Milliseconds. */
interface Patience {
  /** Delay before the first notice of a start that is still in progress. */
  readonly slowMs: number
  /** Time for which a process that cannot run tools still receives messages and posts notices. */
  readonly lingerMs: number
}

const everyMs = 1_000

/**
 * Waits until tools can run, and meanwhile posts one notice to each conversation that waits. Messages are kept as rows for the
 * next start. Rejects as `working` does.
 */
export async function untilWorking<Working>(
  { working, ctx }: Starting<Working>,
  signal: AbortSignal,
  { slowMs, lingerMs }: Patience = { slowMs: 30_000, lingerMs: 5_000 },
): Promise<Working> {
  const settled = new AbortController()
  const telling = tellPeople(ctx, slowMs, AbortSignal.any([signal, settled.signal]))
  try {
    return await working
  } catch (error) {
    await tellPeople(ctx, 0, AbortSignal.any([signal, AbortSignal.timeout(lingerMs)]))
    throw error
  } finally {
    settled.abort()
    await telling
  }
}

async function tellPeople(ctx: CoreContext, afterMs: number, signal: AbortSignal): Promise<void> {
  const passes = (ms: number) => delay(ms, true, { signal }).catch(() => false as const)
  for (let goesOn = await passes(afterMs); goesOn; goesOn = await passes(everyMs)) {
    await noticeToolsAway(ctx).catch((error: unknown) =>
      ctx.log.warn({ err: error }, 'failed to tell people that tools cannot run'),
    )
  }
}
