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
  /** After which people are told while the start still lasts. */
  readonly slowMs: number
  /** For which a process that cannot run tools still hears and tells people, before it ends. */
  readonly lingerMs: number
}

const everyMs = 1_000

/**
 * Waits until tools can run. People who write while they cannot are told, each conversation once; their messages stay, as rows
 * that the next start takes. Rejects as `working` does.
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
