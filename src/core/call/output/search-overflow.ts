import { runInThread } from '../../../util/run-in-thread.ts'
import type { OverflowRequest, ShownOverflow } from './show-overflow.ts'

const work = { module: new URL('./show-overflow.ts', import.meta.url), name: 'showOverflow' }
/** For the text, which may exceed the default of 10 MiB, and the shown lines. */
const heapMb = 256

/**
 * OUT-09: runs `showOverflow` with a pattern in a thread: a line may have megabytes and take a second to match, while this
 * process must renew its turns' leases. `late`: not done within `timeMs` or the memory limit.
 */
export async function searchOverflow(
  question: OverflowRequest,
  timeMs: number,
): Promise<ShownOverflow | { readonly kind: 'late' }> {
  const ended = await runInThread<ShownOverflow>(work, question, { timeMs, heapMb })
  return ended.kind === 'done' ? ended.answer : { kind: 'late' }
}
