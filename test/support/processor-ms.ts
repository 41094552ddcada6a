/** How long this thread computes, in milliseconds: unlike the time that passes, no other process makes it longer. */
export function processorMs(work: () => void): number {
  const before = process.threadCpuUsage()
  work()
  const { user, system } = process.threadCpuUsage(before)
  return (user + system) / 1_000
}
