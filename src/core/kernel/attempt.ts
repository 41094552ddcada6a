import type { Kernel } from './kernel.ts'

/** Does one of several things that must not keep each other from being done: what it throws is logged, and tried again. */
export async function attempt(
  kernel: Kernel,
  what: string,
  work: () => Promise<unknown>,
): Promise<void> {
  try {
    await work()
  } catch (error) {
    kernel.log.warn({ err: error, what }, 'something could not be done; it is tried again')
  }
}
