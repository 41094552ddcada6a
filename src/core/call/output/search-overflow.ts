import { runInThread } from '../../../util/run-in-thread.ts'
import type { OverflowQuestion, ShownOverflow } from './show-overflow.ts'

const work = { module: new URL('./show-overflow.ts', import.meta.url), name: 'showOverflow' }
/** For the text, which may be larger than the default of 10 MiB, and the lines that are shown. */
const heapMb = 256

/**
 * OUT-09: `showOverflow` with a pattern, in a thread of its own: one line may have megabytes, and an expression may take a second for
 * each, while this process keeps the leases of its turns. `late`: not done after `timeMs`, or in the memory that it may have.
 */
export async function searchOverflow(
  question: OverflowQuestion,
  timeMs: number,
): Promise<ShownOverflow | { readonly kind: 'late' }> {
  const ended = await runInThread<ShownOverflow>(work, question, { timeMs, heapMb })
  return ended.kind === 'done' ? ended.answer : { kind: 'late' }
}
