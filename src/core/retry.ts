import type { CoreContext } from './context.ts'

/** Does one of several things that must not keep each other from being done: what it throws is logged, and tried again. */
export async function attempt(
  ctx: CoreContext,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    ctx.log.warn({ err: error, what }, 'task failed, will retry')
  }
}
