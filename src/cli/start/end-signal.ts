/** Signals within this time of the first count as one: a terminal signals the whole process group, and npm forwards it again. */
const sameRequestMs = 300

/**
 * Ends the process, with the exit code that it has then, at most 1 s after what it ran was closed: a program that a sandbox was tried with may still run, and would
 * keep the process alive for a minute.
 */
export function endSoon(): void {
  setTimeout(() => process.exit(), 1_000).unref()
}

/**
 * PROC-03: aborts at the first SIGTERM, SIGHUP or SIGINT, to drain the process; a second one ends it at once. Calls
 * `onFirst` at the first.
 */
export function endSignal(onFirst: () => void = () => undefined): AbortSignal {
  const controller = new AbortController()
  let askedAt = 0
  for (const name of ['SIGTERM', 'SIGHUP', 'SIGINT'] as const) {
    process.on(name, () => {
      if (!controller.signal.aborted) {
        askedAt = performance.now()
        controller.abort(new Error(`asked to end by ${name}`))
        onFirst()
      } else if (performance.now() - askedAt > sameRequestMs) process.exit(1)
    })
  }
  return controller.signal
}
