import type { Box } from '../../ports/sandbox.ts'

/** Resolves with a box's exit after its resources were released. */
export async function releaseAfter(
  exited: Box['exited'],
  tidy: () => Promise<void>,
): Promise<Awaited<Box['exited']>> {
  const end = await exited
  await tidy()
  return end
}
