import type { Box } from '../../ports/sandbox.ts'

/** How a box ended, once what was made for it is taken away. */
export async function tidyAfter(
  exited: Box['exited'],
  tidy: () => Promise<void>,
): Promise<Awaited<Box['exited']>> {
  const end = await exited
  await tidy()
  return end
}
