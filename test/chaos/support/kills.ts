import type { RealProduct } from '../../support/real-product.ts'
import type { Place } from './place.ts'
import { killNow, type Part, processesOf } from './processes.ts'

/** What of the product is killed, and in which order. What is not named lives on, as after an accident. */
const manners: readonly (readonly Part[])[] = [
  ['node'],
  ['node', 'box', 'postgres'],
  ['postgres', 'node', 'box'],
  ['box', 'node'],
  ['node', 'postgres'],
]

/** kill -9 of the product in the manner of this round; settles when its process is gone. */
export async function killInRound(
  place: Place,
  product: RealProduct,
  round: number,
): Promise<void> {
  const parts = manners[round % manners.length] ?? []
  const found = processesOf(place.dataDir)
  const order = parts.flatMap((part) => found.filter((seen) => seen.part === part))
  killNow(order.map(({ pid }) => pid))
  await product.ended
}
