import { openBench } from './support/open-bench.ts'
import { repeat } from './support/repeat.ts'

/** The product in a process of its own, talking to itself when its parent tells it to; ends with the channel. */
await using bench = await openBench()
const over = Promise.withResolvers<void>()
process.once('disconnect', () => over.resolve())
process.on('message', (message) => {
  const { turns, text } = message as { turns: number; text: string }
  void talk(turns, text)
})
process.send?.({ kind: 'ready', postmaster: bench.product.store.embedded?.pid })
await over.promise

async function talk(turns: number, text: string): Promise<void> {
  await repeat(turns, (index) => bench.ask(`memory-${Math.floor(index / 20)}`, text))
  process.send?.({ kind: 'done' })
}
